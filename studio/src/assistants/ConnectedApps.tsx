/** The clients of others that act in the name of whoever looks, each with its end. */
import { useQuery } from "@tanstack/react-query";
import { Button, Chip, Link, Stack } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { Nothing } from "../design/Nothing";
import { Section } from "../design/Section";
import { LastUsed, Scopes } from "../keys/KeysPage";
import { RESOURCE as KEYS } from "../keys/keys";
import { type Column, Listing } from "../organizations/Listing";
import { Question } from "../organizations/Question";
import { useAct } from "../organizations/queries";
import { ask } from "../session/transport";
import { Empty, Moment } from "../values/Value";

interface App {
  /** That of the key by which it acts. */
  id: string;
  clientId: string;
  name: string;
  scopes: readonly string[];
  organization: string | null;
  narrowed: boolean;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string;
}

const PATH = "/api/auth/clients";
const APPS = "connected apps";

/** An app is connected in another window: what is shown is read again as somebody comes back. */
function useApps() {
  const read = (signal: AbortSignal) => ask<{ data: readonly App[] }>("GET", PATH, undefined, signal);
  return useQuery({
    queryKey: [APPS], refetchOnWindowFocus: "always", queryFn: async ({ signal }) => (await read(signal)).data,
  });
}

export function ConnectedApps() {
  const translate = useTranslate();
  const query = useApps();
  const columns = useColumns();
  const { data = [] } = query;
  const [title, none] = [translate("studio.assistants.apps"), translate("studio.assistants.no_apps")];
  return (
    <Section title={title} query={query}>
      {data.length === 0
        ? <Nothing title={none} text={translate("studio.assistants.no_apps_text")} />
        : <Listing title={title} columns={columns} rows={data} empty={none} />}
    </Section>
  );
}

function useColumns(): readonly Column<App>[] {
  const translate = useTranslate();
  return [
    { name: "name", label: translate("studio.assistants.app"), cell: (app) => <Named app={app} /> },
    { name: "scopes", label: translate("studio.keys.scopes"), cell: (app) => <May app={app} /> },
    {
      name: "organization", label: translate("studio.menu.organization"),
      cell: ({ organization }) => organization ?? <Empty />,
    },
    {
      name: "since", label: translate("studio.assistants.since"),
      cell: ({ createdAt }) => <Moment value={createdAt} brief />,
    },
    {
      name: "used", label: translate("studio.keys.last_used"),
      cell: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} brief />,
    },
    {
      name: "expires", label: translate("studio.keys.expires"),
      cell: ({ expiresAt }) => <Moment value={expiresAt} brief />,
    },
    { name: "actions", label: translate("studio.list.actions"), cell: (app) => <Disconnection app={app} /> },
  ];
}

/** The page of its key has what it did, and narrows it. */
function Named({ app: { id, clientId, name } }: { app: App }) {
  return <Link component={RouterLink} to={`/keys/${id}`} title={clientId}>{name}</Link>;
}

function May({ app: { scopes, narrowed } }: { app: App }) {
  const translate = useTranslate();
  return (
    <Stack component="span" direction="row" useFlexGap spacing={0.5} sx={{ flexWrap: "wrap", display: "inline-flex" }}>
      <Scopes scopes={scopes} />
      {narrowed && (
        <Chip component="span" size="small" variant="outlined" label={translate("studio.assistants.narrowed")} />
      )}
    </Stack>
  );
}

function Disconnection({ app: { id, name } }: { app: App }) {
  const translate = useTranslate();
  const act = useAct(APPS, KEYS);
  const [isAsked, setAsked] = useState(false);
  const label = translate("studio.assistants.disconnect");
  const disconnect = () =>
    act(() => ask("DELETE", `${PATH}/${encodeURIComponent(id)}`), "studio.assistants.disconnected", { name });
  return (
    <>
      <Button size="small" color="error" aria-label={`${label}: ${name}`} onClick={() => setAsked(true)}>
        {label}
      </Button>
      {isAsked && (
        <Question
          title={translate("studio.assistants.disconnect_title", { name })} label={label} onDo={disconnect}
          text={translate("studio.assistants.disconnect_text")} onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}
