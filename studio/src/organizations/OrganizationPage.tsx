/** The organization that somebody acts in: its people, teams, buckets and settings, each in a tab that has an address. */
import { Alert, Box, Button, Chip, LinearProgress, Stack, Tab, Tabs } from "@mui/material";
import { type ComponentType } from "react";
import { useTranslate } from "react-admin";
import { Link, useLocation, useNavigate, useParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { usePerson } from "../catalogue/context";
import { Page } from "../layout/Page";
import { Invitations } from "./Invitations";
import { Members } from "./Members";
import { useOrganizations } from "./OrganizationSwitcher";
import { Settings } from "./Settings";
import { Storage } from "./Storage";
import { Teams } from "./Teams";
import { type Standing, useStanding } from "./standing";

interface Place {
  name: string;
  word: string;
  content: ComponentType<{ standing: Standing }>;
}

const PLACES: readonly Place[] = [
  { name: "members", word: "members", content: Members },
  { name: "invitations", word: "invitations", content: Invitations },
  { name: "teams", word: "teams", content: Teams },
  { name: "storage", word: "buckets", content: Storage },
  { name: "settings", word: "settings", content: Settings },
];

export default function OrganizationPage() {
  const translate = useTranslate();
  const sentence = useSentence();
  const { activeOrganizationId } = usePerson();
  const { data, error, isPending } = useOrganizations();
  const current = data?.find(({ id }) => id === activeOrganizationId) ?? data?.[0];
  if (current) return <Shown key={current.id} organization={current} />;
  return (
    <Page title={translate("studio.menu.organization")}>
      {error ? <Alert severity="error">{sentence(error)}</Alert>
        : isPending ? <LinearProgress aria-label={translate("studio.list.loading")} />
        : <Alert severity="info" action={<Button color="inherit" component={Link} to="/auth/organization/create">{translate("studio.organizations.new")}</Button>}>{translate("studio.organizations.none")}</Alert>}
    </Page>
  );
}

function Shown({ organization }: { organization: Pick<Standing, "id" | "name" | "isPersonal" | "role"> }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const { tab } = useParams();
  const { state } = useLocation() as { state: { isTurned?: boolean } | null };
  const standing = useStanding(organization);
  const places = PLACES.filter(({ name }) => name !== "invitations" || standing.mayInvite);
  const open = places.find(({ name }) => name === tab) ?? places[0]!;
  const Content = open.content;
  const role = translate(`value.role.${standing.role}`);
  const chips = (
    <Stack direction="row" spacing={1}>
      <Chip size="small" label={translate(`studio.organizations.${standing.isPersonal ? "personal" : "team"}`)} />
      <Chip size="small" variant="outlined" color="primary" label={translate("studio.organizations.role", { role })} />
    </Stack>
  );
  return (
    <Page title={standing.name} actions={chips}>
      <Tabs value={open.name} onChange={(_, name: string) => navigate(`/organization/${name}`, { state: { isTurned: true } })} variant="scrollable" scrollButtons="auto" allowScrollButtonsMobile aria-label={translate("studio.menu.organization")}>
        {/* Another address is another page to the layout: the tab that was pressed is focused again. */}
        {places.map(({ name, word }) => <Tab key={name} value={name} label={translate(`studio.organizations.${word}`)} id={`tab-${name}`} aria-controls="organization" autoFocus={name === open.name && Boolean(state?.isTurned)} />)}
      </Tabs>
      <Box role="tabpanel" id="organization" aria-labelledby={`tab-${open.name}`}><Content standing={standing} /></Box>
    </Page>
  );
}
