/** What each client is configured with: without a secret, or with a key. */
import { Alert, Box, FormControlLabel, Link, Paper, Switch, Tab, Tabs, Typography } from "@mui/material";
import { useId, useState } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { Section } from "../design/Section";
import { Snippet } from "./Snippet";
import { CLIENTS, type Client, NAME, PLACEHOLDER, STEPS, endpoint } from "./configurations";

export function Configurations() {
  const translate = useTranslate();
  const id = useId();
  const [place, setPlace] = useState(0);
  const [hasKey, setHasKey] = useState(false);
  const client = CLIENTS[place]!;
  const Shown = client.configured ? Configured : Steps;
  const title = translate("studio.assistants.configuration");
  const choice = (
    <FormControlLabel
      control={<Switch checked={hasKey} onChange={(_, checked) => setHasKey(checked)} />}
      label={translate("studio.assistants.with_key")}
    />
  );
  return (
    <Section title={title} actions={choice}>
      {hasKey ? <WithKey /> : <Typography sx={{ mb: 1 }}>{translate("studio.assistants.without_key")}</Typography>}
      <Paper variant="outlined" sx={{ minWidth: 0 }}>
        <Tabs
          value={place} onChange={(_, chosen: number) => setPlace(chosen)} aria-label={title}
          variant="scrollable" scrollButtons="auto" allowScrollButtonsMobile
        >
          {CLIENTS.map(({ name }, index) => (
            <Tab key={name} value={index} label={name} id={`${id}-tab-${index}`} aria-controls={`${id}-panel`} />
          ))}
        </Tabs>
        <Box role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${place}`} sx={{ p: 2 }}>
          <Shown client={client} hasKey={hasKey} />
        </Box>
      </Paper>
    </Section>
  );
}

function WithKey() {
  const translate = useTranslate();
  return (
    <Typography sx={{ mb: 1 }}>
      {translate("studio.assistants.key_text", { placeholder: PLACEHOLDER })}{" "}
      <Link component={RouterLink} to="/keys" underline="always">{translate("studio.assistants.to_keys")}</Link>
    </Typography>
  );
}

/** A command or a file, and what is done after that. */
function Configured({ client, hasKey }: { client: Client; hasKey: boolean }) {
  const translate = useTranslate();
  const { id, name, file, configured } = client;
  const where = file ? translate("studio.assistants.in_file", { file }) : translate("studio.assistants.in_terminal");
  const label = translate("studio.assistants.configuration_of", { client: name });
  return (
    <>
      <Typography variant="body2" sx={{ mb: 1, overflowWrap: "anywhere" }}>{where}</Typography>
      <Snippet text={configured?.(endpoint(), hasKey) ?? ""} label={label} />
      {!hasKey && (
        <Typography variant="body2" sx={{ mt: 1 }}>
          {translate(`studio.assistants.then_${id}`, { name: NAME })}
        </Typography>
      )}
    </>
  );
}

/** A client that is given the address alone. */
function Steps({ client: { id, name }, hasKey }: { client: Client; hasKey: boolean }) {
  const translate = useTranslate();
  return (
    <>
      {hasKey && (
        <Alert severity="info" sx={{ mb: 2 }}>{translate("studio.assistants.no_key", { client: name })}</Alert>
      )}
      <Box component="ol" sx={{ m: 0, mb: 2, pl: 3, typography: "body2" }}>
        {STEPS.map((step) => (
          <Box component="li" key={step} sx={{ mb: 0.5 }}>{translate(`studio.assistants.step_${id}_${step}`)}</Box>
        ))}
      </Box>
      <Snippet text={endpoint()} label={translate("studio.assistants.address_for", { client: name })} />
      <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
        {translate("studio.assistants.from_outside", { client: name })}
      </Typography>
    </>
  );
}
