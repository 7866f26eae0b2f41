/** The end of an organization: only with its name typed, as all that it holds goes with it. */
import type { Row } from "@rowgate/client/react-admin";
import { Alert, Button, Stack, TextField } from "@mui/material";
import { type FormEvent, useState } from "react";
import { useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { Section } from "../design/Section";
import { useAct, useRenewal } from "./queries";

export function DeleteOrganization({ organization }: { organization: Row }) {
  const translate = useTranslate();
  const act = useAct();
  const renew = useRenewal(["auth/organization"]);
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const name = String(organization.name);
  const title = translate("studio.organizations.delete");
  const isRight = typed.trim() === name.trim();
  const remove = async (event: FormEvent) => {
    event.preventDefault();
    if (!isRight) return;
    setBusy(true);
    const { id } = organization;
    const isDone = await act(() => provider.delete("auth/organization", { id, previousData: organization }), "studio.record.deleted", { record: name });
    setBusy(false);
    // All that is shown was in it; otherwise it may have changed meanwhile.
    if (isDone) location.assign("/console");
    else void renew();
  };
  return (
    <Section title={title}>
      <Alert severity="warning" sx={{ mb: 2 }}>{translate("studio.organizations.danger")}</Alert>
      <Stack component="form" onSubmit={(event) => void remove(event)} direction={{ xs: "column", sm: "row" }} spacing={1} sx={{ alignItems: { sm: "flex-start" } }} noValidate>
        <TextField size="small" label={translate("studio.organizations.confirm", { name })} value={typed} onChange={(event) => setTyped(event.target.value)} autoComplete="off" sx={{ flex: 1, maxWidth: { sm: 420 } }} />
        <Button type="submit" color="error" variant="contained" disabled={!isRight || isBusy}>{title}</Button>
      </Stack>
    </Section>
  );
}
