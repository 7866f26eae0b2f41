/** The teams of an organization. */
import { Box, Button, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";

import { Section } from "../design/Section";
import { TeamCard } from "./TeamCard";
import { TeamDialog } from "./TeamDialog";
import { type Joined, useMembers, useTeamMembers, useTeams } from "./queries";
import type { Standing } from "./standing";

export function Teams({ standing }: { standing: Standing }) {
  const translate = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const query = useTeams(standing.id);
  const joined = useTeamMembers(standing.id);
  const { members = [] } = useMembers(standing.id);
  const teams = query.data?.data ?? [];
  const all = (joined.data?.data ?? []) as Joined[];
  const title = translate("studio.organizations.teams");
  const added = standing.isManager && <Button variant="contained" onClick={() => setOpen(true)}>{translate("studio.organizations.add_team")}</Button>;
  return (
    <Section title={title} query={query.error || query.isPending ? query : joined} actions={added}>
      {teams.length === 0 && <Typography color="text.secondary">{translate("studio.organizations.no_teams")}</Typography>}
      <Box sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(min(340px, 100%), 1fr))", gap: 1, alignItems: "start" }}>
        {teams.map((team) => <TeamCard key={team.id} standing={standing} team={team} joined={all.filter(({ teamId }) => teamId === team.id)} members={members} />)}
      </Box>
      {isOpen && <TeamDialog standing={standing} onClose={() => setOpen(false)} />}
    </Section>
  );
}
