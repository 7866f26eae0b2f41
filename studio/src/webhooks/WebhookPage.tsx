/** A webhook: its state, what can be done with it, and what was delivered. */
import { RowgateError } from "@rowgate/client/react-admin";
import { Alert, Button, LinearProgress, Stack, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";
import { Link, useNavigate, useParams } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { usePerson } from "../catalogue/context";
import { Row } from "../design/Row";
import { SecretDialog } from "../keys/SecretDialog";
import { Page } from "../layout/Page";
import { FormDialog } from "../organizations/FormDialog";
import { Question } from "../organizations/Question";
import { MomentInput } from "../inputs/MomentInput";
import { ask } from "../session/transport";
import { Moment } from "../values/Value";
import { Deliveries } from "./Deliveries";
import { WebhookDialog } from "./WebhookDialog";
import { EventTypes, State } from "./WebhooksPage";
import { type Made, WORDS, type Webhook, pathOfWebhook, useWebhook, useWebhookAct, useWebhookRenewal } from "./webhooks";

export default function WebhookPage() {
  const { id = "" } = useParams();
  const translate = useTranslate();
  const sentence = useSentence();
  const person = usePerson();
  const { data: webhook, error, isLoadingError } = useWebhook(id);
  const isGone = error instanceof RowgateError && error.status === 404;
  const back = translate("studio.webhooks.title");
  const trail = [{ title: back, to: "/webhooks" }];
  if (!webhook || isGone) {
    return (
      <Page title={back} trail={trail}>
        {isLoadingError || isGone ? <Alert severity="error" action={<Button color="inherit" component={Link} to="/webhooks">{back}</Button>}>{sentence(error)}</Alert> : <LinearProgress aria-label={translate("studio.list.loading")} />}
      </Page>
    );
  }
  const isOwn = webhook.userId === person.id;
  return (
    <Page title={webhook.description || webhook.url} trail={trail} actions={<Actions webhook={webhook} isOwn={isOwn} />}>
      <Facts webhook={webhook} />
      {isOwn ? <Deliveries webhook={webhook} /> : <Typography color="text.secondary">{translate("studio.webhooks.not_own")}</Typography>}
    </Page>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const translate = useTranslate();
  const { url, eventTypes, where, enabled, failingSince, disabledReason } = webhook;
  return (
    <>
      {disabledReason && <Alert severity="error" sx={{ mb: 2 }}>{translate(`studio.webhooks.because_${disabledReason}`)} {translate("studio.webhooks.catch_up")}</Alert>}
      {enabled && failingSince && <Alert severity="warning" sx={{ mb: 2 }}>{translate("studio.webhooks.failing_since")} <Moment value={failingSince} /></Alert>}
      <Row label={translate("studio.webhooks.url")}><Typography sx={{ overflowWrap: "anywhere" }}>{url}</Typography></Row>
      <Row label={translate("studio.webhooks.state")}><State webhook={webhook} /></Row>
      <Row label={translate("studio.webhooks.events")}><EventTypes types={eventTypes} /></Row>
      {where && <Row label={translate("studio.webhooks.where")}><code style={{ overflowWrap: "anywhere" }}>{JSON.stringify(where)}</code></Row>}
    </>
  );
}

type Asked = "edit" | "rotate" | "replay" | "delete";

function Actions({ webhook, isOwn }: { webhook: Webhook; isOwn: boolean }) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const act = useWebhookAct();
  const renew = useWebhookRenewal();
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<Made>();
  const { id, url, enabled, createdAt, disabledAt } = webhook;
  // What happened while it was off is missing from then on.
  const [since, setSince] = useState(createdAt);
  const close = () => setAsked(undefined);
  const turn = async () => {
    const isDone = await act(() => ask("PATCH", pathOfWebhook(id), { enabled: !enabled }), "studio.record.saved");
    if (isDone && disabledAt) (setSince(disabledAt), setAsked("replay"));
  };
  const test = () => act(() => ask("POST", pathOfWebhook(id, "_test")), "studio.webhooks.tested");
  const edit = async (values: object) => (await ask("PATCH", pathOfWebhook(id), values), await renew());
  const rotate = () => act(async () => setMade(await ask<Made>("POST", pathOfWebhook(id, "_rotate"))), "studio.webhooks.rotated");
  const remove = async () => (await act(() => ask("DELETE", pathOfWebhook(id)), "studio.webhooks.deleted")) && (await navigate("/webhooks"));
  const replay = async ({ since: from }: Record<string, unknown>) => {
    await ask("POST", `${pathOfWebhook(id, "_replay")}?since=${encodeURIComponent(String(from))}`);
    await renew();
  };
  return (
    <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: "wrap" }}>
      {isOwn && enabled && <Button variant="contained" onClick={() => void test()}>{translate("studio.webhooks.test")}</Button>}
      {isOwn && enabled && <Button onClick={() => setAsked("replay")}>{translate("studio.webhooks.replay")}</Button>}
      {isOwn && <Button onClick={() => setAsked("edit")}>{translate("studio.webhooks.edit")}</Button>}
      {isOwn && <Button onClick={() => setAsked("rotate")}>{translate("studio.webhooks.rotate")}</Button>}
      {(isOwn || enabled) && <Button onClick={() => void turn()}>{translate(enabled ? "studio.webhooks.off" : "studio.webhooks.on")}</Button>}
      <Button color="error" onClick={() => setAsked("delete")}>{translate("studio.webhooks.delete")}</Button>
      {asked === "edit" && <WebhookDialog webhook={webhook} onSave={edit} onClose={close} />}
      {asked === "rotate" && <Question title={translate("studio.webhooks.rotate_title")} text={translate("studio.webhooks.rotate_text")} label={translate("studio.webhooks.rotate")} onDo={rotate} onClose={close} />}
      {asked === "delete" && <Question title={translate("studio.webhooks.delete_title")} text={translate("studio.webhooks.delete_text", { url })} label={translate("studio.webhooks.delete")} onDo={remove} onClose={close} />}
      {asked === "replay" && (
        <FormDialog title={translate("studio.webhooks.replay_title")} label="studio.webhooks.replay" fields={["since"]} values={{ since }} onSave={replay} onClose={close} isReady>
          <MomentInput source="since" label="studio.webhooks.replay_since" helperText={translate("studio.webhooks.replay_text")} validate={() => undefined} isRequired autoFocus />
        </FormDialog>
      )}
      {made && <SecretDialog words={WORDS} label={translate("studio.webhooks.secret")} secret={made.secret} onDone={() => setMade(undefined)} />}
    </Stack>
  );
}
