/** The settings of a key, and the dialogs that change them. */
import { Box, Button, Paper, Typography } from "@mui/material";
import { type ReactNode, useState } from "react";
import { useNotify, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { usePerson } from "../catalogue/context";
import { FormDialog, type Values } from "../organizations/FormDialog";
import { Section } from "../design/Section";
import { ask } from "../session/transport";
import { Empty, Moment } from "../values/Value";
import { AddressesInput, MetadataInput, OwnLimitInput, ScopeInput } from "./KeyInputs";
import { LastUsed, Scopes } from "./KeysPage";
import { type ApiKey, RESOURCE, pathOfKey, useKeyRenewal } from "./keys";
import { levelOf, limitOf, scopesOf, settingsOf } from "./values";

export function KeySettings({ apiKey }: { apiKey: ApiKey }) {
  const translate = useTranslate();
  const { isAdmin } = usePerson();
  const [open, setOpen] = useState<"settings" | "limit">();
  const close = () => setOpen(undefined);
  const actions = apiKey.status !== "revoked" && (
    <>
      {isAdmin && <Button onClick={() => setOpen("limit")}>{translate("studio.keys.change_limit")}</Button>}
      <Button onClick={() => setOpen("settings")}>{translate("studio.keys.change")}</Button>
    </>
  );
  return (
    <Section title={translate("studio.keys.settings")} actions={actions}>
      <Told apiKey={apiKey} />
      {open === "settings" && <SettingsDialog apiKey={apiKey} onClose={close} />}
      {open === "limit" && <LimitDialog id={apiKey.id} onClose={close} />}
    </Section>
  );
}

function Told({ apiKey }: { apiKey: ApiKey }) {
  const translate = useTranslate();
  const { scopes, expiresAt, ipAllowList, metadata, createdAt, lastUsedAt } = apiKey;
  const hasMetadata = Object.keys(metadata ?? {}).length > 0;
  return (
    <Paper variant="outlined" component="dl" sx={{ p: 2, m: 0, display: "grid", gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" }, gap: 2 }}>
      <Detail label={translate("studio.keys.scopes")}><Scopes scopes={scopes} /></Detail>
      <Detail label={translate("studio.keys.expires")}><Moment value={expiresAt} /></Detail>
      <Detail label={translate(`resources.${RESOURCE}.fields.createdAt`)}><Moment value={createdAt} /></Detail>
      <Detail label={translate("studio.keys.last_used")}><LastUsed at={lastUsedAt} /></Detail>
      <Detail label={translate("studio.keys.addresses")}>{ipAllowList.length > 0 ? ipAllowList.map((address) => <div key={address}>{address}</div>) : <Empty />}</Detail>
      <Detail label={translate("studio.keys.metadata")}>
        {hasMetadata ? <Box component="pre" tabIndex={0} role="group" aria-label={translate("studio.keys.metadata")} sx={{ m: 0, overflowX: "auto", fontSize: "0.85em" }}>{JSON.stringify(metadata, null, 2)}</Box> : <Empty />}
      </Detail>
    </Paper>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box sx={{ minWidth: 0 }}>
      <Typography component="dt" variant="body2" color="text.secondary">{label}</Typography>
      <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere" }}>{children}</Box>
    </Box>
  );
}

const FIELDS = ["scopes", "ipAllowList", "metadata"];

function SettingsDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const translate = useTranslate();
  const notify = useNotify();
  const renew = useKeyRenewal();
  // The change is for the version that the form began with.
  const [base] = useState(apiKey);
  const level = levelOf(base.scopes);
  const [values] = useState<Values>({ scopes: level, ipAllowList: base.ipAllowList.join("\n"), metadata: base.metadata });
  const save = async (given: Values) => {
    // A key may name its scopes in another way that comes to the same.
    const scopes = given.scopes === level ? base.scopes : scopesOf(given.scopes);
    await provider.update(RESOURCE, { id: base.id, data: { scopes, ...settingsOf(given) }, previousData: base });
    notify("studio.record.saved", { type: "success" });
    await renew();
  };
  return (
    <FormDialog title={translate("studio.keys.change")} label="studio.record.save" fields={FIELDS} values={values} onSave={save} onClose={onClose}>
      <ScopeInput has={level} />
      <AddressesInput />
      <MetadataInput />
    </FormDialog>
  );
}

const WITH_LIMIT: Values = { own: true, requests: null };

/** The service tells nobody the limit that a key has: the input begins empty. */
function LimitDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const translate = useTranslate();
  const notify = useNotify();
  const renew = useKeyRenewal();
  const save = async ({ own, requests }: Values) => {
    await ask("PUT", pathOfKey(id, "limit"), { requests: own ? limitOf(requests) : null, seconds: 60 });
    notify("studio.record.saved", { type: "success" });
    await renew();
  };
  return (
    <FormDialog title={translate("studio.keys.change_limit")} label="studio.record.save" fields={["requests"]} values={WITH_LIMIT} onSave={save} onClose={onClose}><OwnLimitInput /></FormDialog>
  );
}
