/** A new key. Its secret is shown once it is made, and nowhere after that. */
import { Alert, Button, Paper, Stack } from "@mui/material";
import { useState } from "react";
import { Form, SaveButton, useNotify, useTranslate } from "react-admin";
import { Link, useNavigate } from "react-router-dom";

import { GrantsInput } from "../access/GrantsInput";
import { faultsOfAccess } from "../access/grants";
import { useSentence } from "../api/sentences";
import { usePerson } from "../catalogue/context";
import { Page } from "../layout/Page";
import { type Values, faultsOf } from "../organizations/FormDialog";
import { ask } from "../session/transport";
import { AddressesInput, ExpiryInput, LimitInput, MetadataInput, NameInput, ScopeInput } from "./KeyInputs";
import { SecretDialog } from "./SecretDialog";
import { type Made, RESOURCE, WORDS, pathOfKey, useLateRenewal } from "./keys";
import { ON_A_DATE, endOf, limitOf, scopesOf, settingsOf } from "./values";

const FIELDS = ["name", "scopes", "expiresAt", "ipAllowList", "metadata"];
const FIRST: Values = { name: "", scopes: "read", life: 90, ipAllowList: "", metadata: null, requests: null, access: null };

export default function NewKeyPage() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const sentence = useSentence();
  const { isAdmin } = usePerson();
  const [made, setMade] = useState<Made>();
  const { error, create } = useCreation(setMade);
  const faults = faultsOfAccess(error);
  return (
    <Page title={translate("studio.keys.new")} trail={[{ title: translate("studio.keys.back"), to: "/keys" }]}>
      {error !== undefined && <Alert severity="error" sx={{ mb: 1 }}>{sentence(error, Object.keys(faults))}</Alert>}
      <Paper variant="outlined" sx={{ p: 2, maxWidth: 720 }}>
        <Form defaultValues={FIRST} onSubmit={create} mode="onChange" sanitizeEmptyValues={false} noValidate>
          <NameInput />
          <ScopeInput />
          <ExpiryInput />
          <GrantsInput whose="key" faults={faults} />
          <AddressesInput />
          {isAdmin && <LimitInput />}
          <MetadataInput />
          <Stack direction="row" spacing={1} sx={{ mt: 1 }}>
            <SaveButton label="studio.keys.new" icon={<></>} />
            <Button component={Link} to="/keys">{translate("studio.record.cancel")}</Button>
          </Stack>
        </Form>
      </Paper>
      {made && <SecretDialog words={WORDS} label={translate(`resources.${RESOURCE}.fields.key`)} secret={made.key} onDone={() => void navigate(`/keys/${made.id}`, { replace: true })} />}
    </Page>
  );
}

/** Make a key. Neither the cache of queries nor that of mutations sees the answer, which holds the secret. */
function useCreation(onMade: (made: Made) => void) {
  const notify = useNotify();
  const sentence = useSentence();
  const renew = useLateRenewal();
  const [error, setError] = useState<unknown>();
  const create = async (values: Values) => {
    setError(undefined);
    try {
      const { key = null, id } = await ask<Made>("POST", pathOfKey(), wanted(values));
      const requests = limitOf(values.requests);
      // The key is there whatever comes of its limit.
      if (requests !== null) await ask("PUT", pathOfKey(id, "limit"), { requests, seconds: 60 }).catch((failure: unknown) => notify(sentence(failure), { type: "error" }));
      await renew();
      onMade({ id, key });
      return undefined;
    } catch (failure) {
      const faults = faultsAt(failure, values);
      if (Object.keys(faults).length === 0) setError(failure);
      return faults;
    }
  };
  return { error, create };
}

function wanted(values: Values): Values {
  const access = values.access ? { access: values.access } : {};
  return { name: String(values.name).trim(), scopes: scopesOf(values.scopes), expiresAt: endOf(values.life, values.expiresAt), ...settingsOf(values), ...access };
}

/** What is wrong with the end of a key stands where it was chosen. */
function faultsAt(failure: unknown, { life }: Values): Record<string, string> {
  const { expiresAt, ...faults } = faultsOf(failure, FIELDS);
  return expiresAt === undefined ? faults : { ...faults, [life === ON_A_DATE ? "expiresAt" : "life"]: expiresAt };
}
