/** The invitations of an organization: sent, answered and taken back. */
import type { Row } from "@rowgate/client/react-admin";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button, Link, MenuItem, Stack, TextField, Typography } from "@mui/material";
import { useState } from "react";
import { SelectInput, useLocale, useNotify, useTranslate } from "react-admin";
import { useWatch } from "react-hook-form";
import { Link as RouterLink } from "react-router-dom";

import { GrantsInput } from "../access/GrantsInput";
import { faultsOfAccess } from "../access/grants";
import { provider } from "../api/provider";
import { fieldOf, valuesOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import { moment } from "../values/formats";
import { Badge, Empty } from "../values/Value";
import { FormDialog, type Values } from "./FormDialog";
import { type Column, Listing } from "./Listing";
import { Section } from "../design/Section";
import { TextLine } from "./TextLine";
import { listOf, useAct, useRenewal, useTeams } from "./queries";
import { type Standing, grantable } from "./standing";

const RESOURCE = "auth/invitation";
/** At most a hundred wait; older ones that were answered are in the list of the model. */
const MOST = 100;

type Invitation = Row & { email: string; role: string; status: string; expiresAt: string; team?: { name: string } | null };

function useInvitations(organizationId: string, status: string) {
  return useQuery({
    queryKey: [RESOURCE, "organization", organizationId, status],
    queryFn: ({ signal }) => provider.getList(RESOURCE, {
      filter: { organizationId, ...(status ? { status } : {}) }, pagination: { page: 1, perPage: MOST }, meta: { sort: ["-createdAt"], expand: { team: { fields: ["name"] } } }, signal,
    }),
    placeholderData: keepPreviousData,
  });
}

export function Invitations({ standing }: { standing: Standing }) {
  const translate = useTranslate();
  const [status, setStatus] = useState("");
  const [isOpen, setOpen] = useState(false);
  const query = useInvitations(standing.id, status);
  const { data: rows = [], total = 0 } = query.data ?? {};
  const columns = useColumns();
  const title = translate("studio.organizations.invitations");
  const actions = (
    <Stack direction="row" spacing={1}>
      <StatusFilter value={status} onChange={setStatus} />
      <Button variant="contained" onClick={() => setOpen(true)}>{translate("studio.organizations.invite")}</Button>
    </Stack>
  );
  return (
    <Section title={title} query={query} actions={actions}>
      <Listing title={title} columns={columns} rows={rows as Invitation[]} empty={translate("studio.organizations.no_invitations")} />
      {total > rows.length && (
        <Typography sx={{ mt: 1 }}><Link component={RouterLink} to={listOf(RESOURCE, "organizationId", standing.id)}>{translate("studio.record.show_all", { models: title })} ({total})</Link></Typography>
      )}
      {isOpen && <InviteDialog standing={standing} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function StatusFilter({ value, onChange }: { value: string; onChange: (status: string) => void }) {
  const translate = useTranslate();
  const model = useCatalogue().get(RESOURCE);
  const field = model && fieldOf(model, "status");
  return (
    <TextField select size="small" label={translate(`resources.${RESOURCE}.fields.status`)} value={value} onChange={(event) => onChange(event.target.value)} sx={{ minWidth: 130 }} slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}>
      <MenuItem value="">{translate("studio.input.any")}</MenuItem>
      {field && valuesOf(field).map((each) => <MenuItem key={each} value={each}>{translate(`value.status.${each}`)}</MenuItem>)}
    </TextField>
  );
}

const isWaiting = ({ status }: Invitation) => status === "pending";

function useColumns(): readonly Column<Invitation>[] {
  const translate = useTranslate();
  const label = (field: string) => translate(`resources.${RESOURCE}.fields.${field}`);
  return [
    { name: "email", label: label("email"), cell: ({ email }) => email },
    { name: "role", label: label("role"), cell: ({ role }) => <Badge field="role" value={role} /> },
    { name: "team", label: translate("studio.organizations.invite_team"), cell: ({ team }) => team?.name ?? <Empty /> },
    { name: "status", label: label("status"), cell: (invitation) => <Badge field="status" value={stateOf(invitation)} /> },
    { name: "expires", label: label("expiresAt"), cell: (invitation) => (isWaiting(invitation) ? <Expiry value={invitation.expiresAt} /> : <Empty />) },
    { name: "actions", label: translate("studio.list.actions"), cell: (invitation) => (isWaiting(invitation) ? <Cancel invitation={invitation} /> : null) },
  ];
}

/** The service keeps an invitation pending that nobody has answered in time. */
const stateOf = ({ status, expiresAt }: Invitation) => (status === "pending" && Date.parse(expiresAt) < Date.now() ? "expired" : status);

function Expiry({ value }: { value: string }) {
  const translate = useTranslate();
  const locale = useLocale();
  return <time dateTime={value}>{translate("studio.organizations.expires", { when: moment(value, locale) })}</time>;
}

function Cancel({ invitation }: { invitation: Invitation }) {
  const translate = useTranslate();
  const act = useAct(RESOURCE);
  const [isBusy, setBusy] = useState(false);
  const label = translate("studio.organizations.cancel");
  const cancel = async () => {
    setBusy(true);
    await act(() => provider.update(RESOURCE, { id: invitation.id, data: { status: "canceled" }, previousData: invitation }), "studio.organizations.canceled", { email: invitation.email });
    setBusy(false);
  };
  return <Button size="small" color="error" disabled={isBusy} aria-label={`${label}: ${invitation.email}`} onClick={() => void cancel()}>{label}</Button>;
}

function InviteDialog({ standing, onClose }: { standing: Standing; onClose: () => void }) {
  const translate = useTranslate();
  const notify = useNotify();
  const renew = useRenewal([RESOURCE]);
  const { data: teams } = useTeams(standing.id);
  const roles = grantable(standing).map((id) => ({ id, name: `value.role.${id}` }));
  const choices = teams?.data.map(({ id, name }) => ({ id, name: String(name) })) ?? [];
  const save = async ({ email, role, teamId, access }: Values) => {
    await provider.create(RESOURCE, { data: { organizationId: standing.id, email, role, teamId: teamId || null, ...(role === "member" && access ? { access } : {}) } });
    notify("studio.organizations.invited", { type: "success" });
    void renew();
  };
  return (
    <FormDialog title={translate("studio.organizations.invite")} label="studio.organizations.invite" fields={["email", "role", "teamId"]} values={FIRST} onSave={save} onClose={onClose} shows={(error) => Object.keys(faultsOfAccess(error))} maxWidth="md">
      {(error) => (
        <>
      <TextLine resource={RESOURCE} source="email" label="studio.organizations.invite_email" type="email" isRequired autoFocus />
      <SelectInput source="role" label="studio.organizations.invite_role" choices={roles} resettable={false} required fullWidth helperText={false} />
      {choices.length > 0 && <SelectInput source="teamId" label="studio.organizations.invite_team" choices={choices} translateChoice={false} emptyText="studio.input.unset" fullWidth helperText={false} />}
          <Narrowing error={error} />
        </>
      )}
    </FormDialog>
  );
}

/** Owners and managers are never narrowed. */
function Narrowing({ error }: { error: unknown }) {
  const isMember = useWatch({ name: "role" }) === "member";
  return isMember && <GrantsInput whose="invitation" faults={faultsOfAccess(error)} />;
}

/** What the form of an invitation begins with. */
const FIRST = { role: "member", access: null };
