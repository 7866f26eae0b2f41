/** A team with its members, and what managers do with it. */
import type { Row } from "@rowgate/client/react-admin";
import PersonRemoveIcon from "@mui/icons-material/PersonRemoveOutlined";
import { Button, IconButton, List, ListItem, ListItemAvatar, ListItemText, Paper, Stack, Tooltip, Typography } from "@mui/material";
import { Suspense, lazy, useState } from "react";
import { AutocompleteInput, required, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { usePerson } from "../catalogue/context";
import { useWrites } from "../changes/undo";
import { FormDialog, type Values } from "./FormDialog";
import { Initials } from "./Initials";
import { Question } from "./Question";
import { TeamDialog } from "./TeamDialog";
import { type Joined, type Member, nameOfMember, useAct, useRenewal } from "./queries";
import type { Standing } from "./standing";

const AccessDialog = lazy(() => import("../access/AccessDialog"));

interface Props {
  standing: Standing;
  team: Row;
  joined: readonly Joined[];
  /** Those of the organization. */
  members: readonly Member[];
}

export function TeamCard({ standing, team, joined, members }: Props) {
  const translate = useTranslate();
  const name = String(team.name);
  const outside = members.filter(({ userId }) => !joined.some((each) => each.userId === userId));
  return (
    <Paper component="article" variant="outlined" aria-label={name} sx={{ p: 2, minWidth: 0 }}>
      <Typography component="h3" variant="subtitle1" sx={{ overflowWrap: "anywhere" }}>{name}</Typography>
      {team.description && <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: "anywhere" }}>{String(team.description)}</Typography>}
      {joined.length === 0 && <Typography variant="body2" color="text.secondary" sx={{ my: 1 }}>{translate("studio.organizations.no_members")}</Typography>}
      {joined.length > 0 && (
        <List dense aria-label={`${name}: ${translate("studio.organizations.members")}`} sx={{ maxHeight: 320, overflowY: "auto" }}>
          {joined.map((each) => <Person key={each.id} standing={standing} joined={each} />)}
        </List>
      )}
      {standing.isManager && <Actions standing={standing} team={team} outside={outside} />}
    </Paper>
  );
}

function Person({ standing, joined }: { standing: Standing; joined: Joined }) {
  const translate = useTranslate();
  const { id } = usePerson();
  const act = useAct("auth/team-member");
  const name = nameOfMember(joined);
  const label = `${translate("studio.organizations.leave")}: ${name}`;
  const remove = () => act((meta) => provider.delete("auth/team-member", { id: joined.id, previousData: joined, meta }), "studio.organizations.removed", { name });
  const mayRemove = standing.isManager || joined.userId === id;
  const action = <Tooltip title={label}><IconButton edge="end" size="small" aria-label={label} onClick={() => void remove()}><PersonRemoveIcon fontSize="small" /></IconButton></Tooltip>;
  return (
    <ListItem disableGutters secondaryAction={mayRemove && action}>
      <ListItemAvatar sx={{ minWidth: 38 }}><Initials name={name} /></ListItemAvatar>
      <ListItemText primary={name} />
    </ListItem>
  );
}

function Actions({ standing, team, outside }: { standing: Standing; team: Row; outside: readonly Member[] }) {
  const translate = useTranslate();
  const [open, setOpen] = useState<"add" | "access" | "rename" | "delete">();
  const act = useAct("auth/team", "auth/team-member", "auth/invitation");
  const name = String(team.name);
  const close = () => setOpen(undefined);
  const remove = () => act((meta) => provider.delete("auth/team", { id: team.id, previousData: team, meta }), "studio.record.deleted", { record: name });
  const [access, rename, deleted] = [translate("studio.access.open"), translate("studio.organizations.rename"), translate("studio.record.delete")];
  return (
    <Stack direction="row" useFlexGap spacing={0.5} sx={{ flexWrap: "wrap", mt: 1 }}>
      {outside.length > 0 && <Button size="small" onClick={() => setOpen("add")}>{translate("studio.organizations.add_member", { team: name })}</Button>}
      <Button size="small" aria-label={`${access}: ${name}`} onClick={() => setOpen("access")}>{access}</Button>
      <Button size="small" aria-label={`${rename}: ${name}`} onClick={() => setOpen("rename")}>{rename}</Button>
      <Button size="small" color="error" aria-label={`${deleted}: ${name}`} onClick={() => setOpen("delete")}>{deleted}</Button>
      {open === "add" && <AddDialog team={team} outside={outside} onClose={close} />}
      {open === "access" && <Suspense><AccessDialog kind="team" id={team.id} name={name} onClose={close} /></Suspense>}
      {open === "rename" && <TeamDialog standing={standing} team={team} onClose={close} />}
      {open === "delete" && <Question title={translate("studio.record.confirm_delete", { record: name })} text={translate("studio.organizations.delete_team_text")} label={deleted} onDo={remove} onClose={close} />}
    </Stack>
  );
}

const needed = required();

function AddDialog({ team, outside, onClose }: { team: Row; outside: readonly Member[]; onClose: () => void }) {
  const translate = useTranslate();
  const { meta, tell } = useWrites();
  const renew = useRenewal(["auth/team-member"]);
  const save = async ({ userId }: Values) => {
    await provider.create("auth/team-member", { data: { teamId: team.id, userId }, meta });
    tell("studio.organizations.saved");
    void renew();
  };
  const choices = outside.map((member) => ({ id: member.userId, name: nameOfMember(member) }));
  return (
    <FormDialog title={translate("studio.organizations.add_member", { team: String(team.name) })} label="studio.organizations.save" fields={["userId"]} onSave={save} onClose={onClose}>
      <AutocompleteInput source="userId" label="studio.organizations.person" choices={choices} translateChoice={false} validate={needed} fullWidth autoFocus openOnFocus={false} helperText={false} />
    </FormDialog>
  );
}
