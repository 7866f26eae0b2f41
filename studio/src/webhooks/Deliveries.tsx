/** What was sent to a webhook, and what waits: each with what was said and answered, and once more on request. */
import { Accordion, AccordionDetails, AccordionSummary, Box, Button, Chip, MenuItem, Stack, TextField, Typography } from "@mui/material";
import ExpandMoreIcon from "@mui/icons-material/ExpandMoreOutlined";
import { useState } from "react";
import { useLocale, useTranslate } from "react-admin";

import { Row } from "../design/Row";
import { Section } from "../design/Section";
import { ask } from "../session/transport";
import { milliseconds } from "../values/formats";
import { toneOf } from "../values/tones";
import { Moment } from "../values/Value";
import { type Delivery, STATUSES, type Webhook, pathOfWebhook, useDeliveries, useEventNames, useWebhookAct } from "./webhooks";

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const translate = useTranslate();
  const [status, setStatus] = useState("");
  const query = useDeliveries(webhook.id, status);
  const deliveries = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const title = translate("studio.webhooks.deliveries");
  const choice = (
    <TextField select size="small" label={translate("studio.webhooks.state")} value={status} onChange={(event) => setStatus(event.target.value)} sx={{ minWidth: 160 }}>
      <MenuItem value="">{translate("studio.changes.all")}</MenuItem>
      {STATUSES.map((each) => <MenuItem key={each} value={each}>{translate(`studio.webhooks.status_${each}`)}</MenuItem>)}
    </TextField>
  );
  return (
    <Section title={title} actions={choice} query={query}>
      {deliveries.length === 0 && <Typography color="text.secondary">{translate("studio.webhooks.no_deliveries")}</Typography>}
      <Box component="ul" aria-label={title} sx={{ listStyle: "none", m: 0, p: 0 }}>
        {deliveries.map((delivery) => <Entry key={delivery.id} webhook={webhook} delivery={delivery} />)}
      </Box>
      {query.hasNextPage && <Button sx={{ mt: 1 }} disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.changes.earlier")}</Button>}
    </Section>
  );
}

function Entry({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const translate = useTranslate();
  const locale = useLocale();
  const nameOfType = useEventNames();
  const act = useWebhookAct();
  const { id, eventType, status, attempts, responseStatus, durationMs, createdAt } = delivery;
  const again = () => act(() => ask("POST", pathOfWebhook(webhook.id, `_deliveries/${id}/_redeliver`)), "studio.webhooks.tested");
  const mayRepeat = webhook.enabled && (status === "delivered" || status === "abandoned");
  const named = eventType === "webhook.test" ? translate("studio.webhooks.test_event") : nameOfType(eventType);
  return (
    <Accordion component="li" variant="outlined" disableGutters slotProps={{ transition: { unmountOnExit: true } }}>
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>
        <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: "center", flexWrap: "wrap", width: "100%", pr: 1 }}>
          <Typography sx={{ flex: 1, minWidth: 140 }}>{named}</Typography>
          <Chip component="span" size="small" variant="outlined" color={toneOf(status)} label={translate(`studio.webhooks.status_${status}`)} />
          {responseStatus !== null && <Typography variant="body2">{responseStatus}</Typography>}
          {durationMs !== null && <Typography variant="body2" color="text.secondary">{milliseconds(durationMs, locale)}</Typography>}
          <Typography variant="body2" color="text.secondary"><Moment value={createdAt} brief /></Typography>
        </Stack>
      </AccordionSummary>
      <AccordionDetails>
        <Typography variant="body2" gutterBottom>{translate("studio.webhooks.attempts", { smart_count: attempts })}</Typography>
        <Answer delivery={delivery} />
        {delivery.payload && <Row label={translate("studio.webhooks.payload")}><Code text={JSON.stringify(delivery.payload, null, 2)} /></Row>}
        {mayRepeat && <Button size="small" onClick={() => void again()}>{translate("studio.webhooks.again")}</Button>}
      </AccordionDetails>
    </Accordion>
  );
}

function Answer({ delivery: { errorMessage, responseExcerpt, nextAttemptAt } }: { delivery: Delivery }) {
  const translate = useTranslate();
  return (
    <>
      {nextAttemptAt && <Typography variant="body2" gutterBottom>{translate("studio.webhooks.next")} <Moment value={nextAttemptAt} /></Typography>}
      {errorMessage && <Row label={translate("studio.webhooks.error")}><Typography variant="body2" color="error" sx={{ overflowWrap: "anywhere" }}>{errorMessage}</Typography></Row>}
      {responseExcerpt && <Row label={translate("studio.webhooks.answer")}><Code text={responseExcerpt} /></Row>}
    </>
  );
}

function Code({ text }: { text: string }) {
  return <Box component="pre" tabIndex={0} sx={{ m: 0, p: 1, maxHeight: 320, overflow: "auto", bgcolor: "action.hover", borderRadius: 1, fontSize: 13, whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{text}</Box>;
}
