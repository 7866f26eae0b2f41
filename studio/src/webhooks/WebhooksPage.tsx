/** The webhooks of whoever looks, and as a manager those of others in the organization. */
import AddIcon from "@mui/icons-material/AddOutlined";
import { Alert, Button, Chip, LinearProgress, Link, Stack } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink, useNavigate } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { useCatalogue } from "../catalogue/context";
import { useActorNames } from "../changes/log";
import { Nothing } from "../design/Nothing";
import { SecretDialog } from "../keys/SecretDialog";
import { NoPage } from "../layout/NoPage";
import { Page } from "../layout/Page";
import type { Values } from "../organizations/FormDialog";
import { type Column, Listing } from "../organizations/Listing";
import { ask } from "../session/transport";
import { Moment } from "../values/Value";
import { WebhookDialog } from "./WebhookDialog";
import { type Made, WORDS, type Webhook, pathOfWebhook, useEventNames, useWebhookRenewal, useWebhooks } from "./webhooks";

export default function WebhooksPage() {
  return useCatalogue().changesDays > 0 ? <Webhooks /> : <NoPage />;
}

function Webhooks() {
  const translate = useTranslate();
  const sentence = useSentence();
  const { data, error, isLoadingError, refetch } = useWebhooks();
  const columns = useColumns();
  const title = translate("studio.webhooks.title");
  return (
    <Page title={title} actions={data && data.length > 0 && <NewWebhook />}>
      {isLoadingError ? <Alert severity="error" action={<Button color="inherit" onClick={() => void refetch()}>{translate("studio.list.retry")}</Button>}>{sentence(error)}</Alert>
        : !data ? <LinearProgress aria-label={translate("studio.list.loading")} />
        : data.length === 0 ? <Nothing title={translate("studio.webhooks.none")} text={translate("studio.webhooks.none_text")}><NewWebhook /></Nothing>
        : <Listing title={title} columns={columns} rows={data} empty={translate("studio.webhooks.none")} />}
    </Page>
  );
}

function NewWebhook() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const renew = useWebhookRenewal();
  const [isAsked, setAsked] = useState(false);
  const [made, setMade] = useState<Made>();
  // Neither the cache of queries nor that of mutations sees the answer, which holds the secret.
  const create = async (values: Values) => setMade(await ask<Made>("POST", pathOfWebhook(), values));
  return (
    <>
      <Button variant="contained" startIcon={<AddIcon />} sx={{ mt: 1 }} onClick={() => setAsked(true)}>{translate("studio.webhooks.new")}</Button>
      {isAsked && <WebhookDialog onSave={create} onClose={() => setAsked(false)} />}
      {made && <SecretDialog words={WORDS} label={translate("studio.webhooks.secret")} secret={made.secret} onDone={() => (void renew(), void navigate(`/webhooks/${made.id}`))} />}
    </>
  );
}

function useColumns(): readonly Column<Webhook>[] {
  const translate = useTranslate();
  const nameOfActor = useActorNames();
  return [
    { name: "url", label: translate("studio.webhooks.url"), cell: ({ id, url, description }) => <Link component={RouterLink} to={`/webhooks/${id}`}>{description || url}</Link> },
    { name: "events", label: translate("studio.webhooks.events"), cell: ({ eventTypes }) => <EventTypes types={eventTypes} /> },
    { name: "state", label: translate("studio.webhooks.state"), cell: (webhook) => <State webhook={webhook} /> },
    { name: "by", label: translate("studio.webhooks.of"), cell: ({ userId }) => nameOfActor({ type: "user", id: userId }) },
    { name: "created", label: translate("studio.webhooks.since"), cell: ({ createdAt }) => <Moment value={createdAt} brief /> },
  ];
}

export function EventTypes({ types }: { types: readonly string[] }) {
  const nameOfType = useEventNames();
  return <Stack component="span" direction="row" useFlexGap spacing={0.5} sx={{ flexWrap: "wrap", display: "inline-flex" }}>{types.map((type) => <Chip key={type} component="span" size="small" label={nameOfType(type)} title={type} />)}</Stack>;
}

export function State({ webhook: { enabled, failureCount, disabledReason } }: { webhook: Webhook }) {
  const translate = useTranslate();
  const [state, color] = !enabled ? ([disabledReason ?? "off", disabledReason ? "error" : "default"] as const) : failureCount > 0 ? (["failing_now", "warning"] as const) : (["on", "success"] as const);
  return <Chip component="span" size="small" variant="outlined" color={color} label={translate(`studio.webhooks.is_${state}`)} />;
}
