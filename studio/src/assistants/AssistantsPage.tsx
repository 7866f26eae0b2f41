/** How an assistant is connected, what is connected, and what its tools answer. */
import { Paper, Typography } from "@mui/material";
import { useTranslate } from "react-admin";

import { Section } from "../design/Section";
import { Page } from "../layout/Page";
import { Configurations } from "./Configurations";
import { ConnectedApps } from "./ConnectedApps";
import { Snippet } from "./Snippet";
import { TryTool } from "./TryTool";
import { endpoint } from "./configurations";

export default function AssistantsPage() {
  const translate = useTranslate();
  const address = translate("studio.assistants.address");
  return (
    <Page title={translate("studio.assistants.title")}>
      <Typography color="text.secondary">{translate("studio.assistants.text")}</Typography>
      <Section title={address}>
        <Paper variant="outlined" sx={{ p: 2 }}><Snippet text={endpoint()} label={address} /></Paper>
      </Section>
      <Configurations />
      <ConnectedApps />
      <TryTool />
    </Page>
  );
}
