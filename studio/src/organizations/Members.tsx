/** The members of an organization: their roles, and how they leave. */
import { Button, Chip, Link, MenuItem, Stack, TextField, Typography } from "@mui/material";
import { Suspense, lazy, useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { provider } from "../api/provider";
import { usePerson } from "../catalogue/context";
import { Badge, Moment } from "../values/Value";
import { Initials } from "./Initials";
import { type Column, Listing } from "./Listing";
import { Question } from "./Question";
import { Section } from "../design/Section";
import { type Member, listOf, nameOfMember, useAct, useMembers } from "./queries";
import { type Standing, outranks, rolesOf } from "./standing";

const AccessDialog = lazy(() => import("../access/AccessDialog"));

/** From this many on, people are searched. */
const MANY = 10;

export function Members({ standing }: { standing: Standing }) {
  const translate = useTranslate();
  const query = useMembers(standing.id);
  const { members = [], total } = query;
  const [words, setWords] = useState("");
  const columns = useColumns(standing, members);
  const title = translate("studio.organizations.members");
  const wanted = words.trim().toLowerCase();
  const found = members.filter((member) => nameOfMember(member).toLowerCase().includes(wanted));
  const search = (
    <TextField size="small" type="search" value={words} onChange={(event) => setWords(event.target.value)} label={translate("studio.list.search_in", { models: title })} sx={{ width: { xs: "100%", sm: 260 } }} />
  );
  return (
    <Section title={title} query={query} actions={members.length > MANY && search}>
      <Listing title={title} columns={columns} rows={found} empty={translate("studio.organizations.no_members")} />
      {total > members.length && (
        <Typography sx={{ mt: 1 }}><Link component={RouterLink} to={listOf("auth/member", "organizationId", standing.id)}>{translate("studio.record.show_all", { models: title })} ({total})</Link></Typography>
      )}
    </Section>
  );
}

function useColumns(standing: Standing, members: readonly Member[]): readonly Column<Member>[] {
  const translate = useTranslate();
  const { id } = usePerson();
  const shown: readonly Column<Member>[] = [
    { name: "person", label: translate("studio.organizations.person"), cell: (member) => <Named member={member} /> },
    { name: "role", label: translate("resources.auth/member.fields.role"), cell: (member) => <RoleCell standing={standing} member={member} /> },
    { name: "joined", label: translate("studio.organizations.joined"), cell: ({ createdAt }) => <Moment value={createdAt} brief /> },
  ];
  const isKept = ({ role }: Member) => standing.isPersonal && role === "owner";
  const isLeaver = (member: Member) => !isKept(member) && (member.userId === id || outranks(standing, member.role));
  const isNarrowable = ({ role }: Member) => standing.isManager && role === "member";
  const actions: Column<Member> = {
    name: "actions", label: translate("studio.list.actions"), cell: (member) => (isLeaver(member) || isNarrowable(member) ? <Actions standing={standing} member={member} isLeaver={isLeaver(member)} isNarrowable={isNarrowable(member)} /> : null),
  };
  return members.some((member) => isLeaver(member) || isNarrowable(member)) ? [...shown, actions] : shown;
}

interface ActionsProps {
  standing: Standing;
  member: Member;
  isLeaver: boolean;
  isNarrowable: boolean;
}

function Actions({ standing, member, isLeaver, isNarrowable }: ActionsProps) {
  const translate = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const name = nameOfMember(member);
  const label = translate("studio.access.open");
  return (
    <Stack direction="row" spacing={1}>
      {isNarrowable && <Button size="small" aria-label={`${label}: ${name}`} onClick={() => setOpen(true)}>{label}</Button>}
      {isLeaver && <Removal standing={standing} member={member} />}
      {isOpen && <Suspense><AccessDialog kind="member" id={member.id} name={name} onClose={() => setOpen(false)} /></Suspense>}
    </Stack>
  );
}

function Named({ member }: { member: Member }) {
  const translate = useTranslate();
  const { id } = usePerson();
  const name = nameOfMember(member);
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: "center" }}>
      <Initials name={name} />
      <span>{name}</span>
      {member.userId === id && <Chip size="small" label={translate("studio.organizations.you")} />}
    </Stack>
  );
}

function RoleCell({ standing, member }: { standing: Standing; member: Member }) {
  const translate = useTranslate();
  const { id } = usePerson();
  const act = useAct("auth/member");
  const [isBusy, setBusy] = useState(false);
  const roles = rolesOf(standing, member.role, member.userId === id);
  if (roles.length < 2) return <Badge field="role" value={member.role} />;
  const change = async (role: string) => {
    if (role === member.role) return;
    setBusy(true);
    await act((meta) => provider.update("auth/member", { id: member.id, data: { role }, previousData: member, meta }), "studio.organizations.saved");
    setBusy(false);
  };
  return (
    <TextField
      select size="small" value={member.role} disabled={isBusy} onChange={(event) => void change(event.target.value)} sx={{ minWidth: 120 }}
      slotProps={{ htmlInput: { "aria-label": translate("studio.organizations.change_role", { name: nameOfMember(member) }) } }}
    >
      {roles.map((role) => <MenuItem key={role} value={role}>{translate(`value.role.${role}`)}</MenuItem>)}
    </TextField>
  );
}

/** Somebody is removed, or goes by themselves. */
function Removal({ standing, member }: { standing: Standing; member: Member }) {
  const translate = useTranslate();
  const { id } = usePerson();
  const act = useAct("auth/member", "auth/team-member");
  const [isAsked, setAsked] = useState(false);
  const isOneself = member.userId === id;
  const name = nameOfMember(member);
  const label = translate(isOneself ? "studio.organizations.leave_self" : "studio.organizations.leave");
  const remove = async () => {
    const isDone = await act(() => provider.delete("auth/member", { id: member.id, previousData: member }), "studio.organizations.removed", { name });
    // All that is shown is of an organization that is none of theirs any more.
    if (isDone && isOneself) location.assign("/console");
  };
  return (
    <>
      <Button size="small" color="error" aria-label={isOneself ? label : `${label}: ${name}`} onClick={() => setAsked(true)}>{label}</Button>
      {isAsked && (
        <Question
          title={isOneself ? translate("studio.organizations.leave_title", { name: standing.name }) : translate("studio.organizations.remove_title", { name })}
          text={translate(`studio.organizations.${isOneself ? "leave_text" : "remove_text"}`)} label={label} onDo={remove} onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
