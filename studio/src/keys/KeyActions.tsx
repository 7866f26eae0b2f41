/** What can be done with a key: renamed, switched off and on, rotated, revoked. */
import { Button, Stack } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { useNavigate } from "react-router-dom";

import { provider } from "../api/provider";
import { FormDialog } from "../organizations/FormDialog";
import { Question } from "../organizations/Question";
import { useAct } from "../organizations/queries";
import { NameInput } from "./KeyInputs";
import { RotateDialog } from "./RotateDialog";
import { SecretDialog } from "./SecretDialog";
import { type ApiKey, type Made, RESOURCE, WORDS, useKeyAct, useKeyRenewal, useLateRenewal } from "./keys";

type Asked = "rename" | "rotate" | "revoke";

export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<Made>();
  const close = () => setAsked(undefined);
  const isLive = apiKey.status === "active" || apiKey.status === "disabled";
  // A secret that is shown stays, whatever becomes of the old key.
  if (apiKey.status === "revoked" && !made) return null;
  return (
    <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: "wrap" }}>
      <Button onClick={() => setAsked("rename")}>{translate("studio.keys.rename")}</Button>
      {isLive && <Switch apiKey={apiKey} />}
      {isLive && <Button onClick={() => setAsked("rotate")}>{translate("studio.keys.rotate")}</Button>}
      <Button color="error" onClick={() => setAsked("revoke")}>{translate("studio.keys.revoke")}</Button>
      {asked === "rename" && <Renaming apiKey={apiKey} onClose={close} />}
      {asked === "rotate" && <RotateDialog id={apiKey.id} onMade={(rotated) => (close(), setMade(rotated))} onClose={close} />}
      {asked === "revoke" && <Revocation apiKey={apiKey} onClose={close} />}
      {made && <SecretDialog words={WORDS} label={translate(`resources.${RESOURCE}.fields.key`)} secret={made.key} onDone={() => void navigate(`/keys/${made.id}`)} />}
    </Stack>
  );
}

function Switch({ apiKey }: { apiKey: ApiKey }) {
  const translate = useTranslate();
  const act = useKeyAct();
  const [isBusy, setBusy] = useState(false);
  const turn = async () => {
    setBusy(true);
    await act(() => provider.update(RESOURCE, { id: apiKey.id, data: { enabled: !apiKey.enabled }, previousData: apiKey }), "studio.record.saved");
    setBusy(false);
  };
  return <Button disabled={isBusy} onClick={() => void turn()}>{translate(apiKey.enabled ? "studio.keys.disable" : "studio.keys.enable")}</Button>;
}

function Renaming({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const translate = useTranslate();
  const renew = useKeyRenewal();
  // The change is for the version that the form began with.
  const [base] = useState(apiKey);
  const rename = async ({ name }: Record<string, unknown>) => {
    await provider.update(RESOURCE, { id: base.id, data: { name: String(name).trim() }, previousData: base });
    await renew();
  };
  return <FormDialog title={translate("studio.keys.rename")} label="studio.record.save" fields={["name"]} values={{ name: base.name }} onSave={rename} onClose={onClose}><NameInput /></FormDialog>;
}

function Revocation({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const act = useAct();
  const renew = useLateRenewal();
  const { id, name } = apiKey;
  const revoke = async () => {
    const isDone = await act(() => provider.delete(RESOURCE, { id, previousData: apiKey }), "studio.keys.revoked", { name });
    await renew();
    if (isDone) await navigate("/keys");
  };
  return <Question title={translate("studio.keys.revoke_title", { name })} text={translate("studio.keys.revoke_text")} label={translate("studio.keys.revoke")} onDo={revoke} onClose={onClose} />;
}
