/** How programs use a key: examples for this very service. */
import { Box, Paper, Tab, Tabs, Typography } from "@mui/material";
import { useId, useState } from "react";
import { useTranslate } from "react-admin";

import { Section } from "../design/Section";
import { CopyButton } from "./CopyButton";
import { EXAMPLES } from "./examples";

export function HowToUse() {
  const translate = useTranslate();
  const id = useId();
  const [place, setPlace] = useState(0);
  const { language, code } = EXAMPLES[place]!;
  const text = code(location.origin);
  const label = translate("studio.keys.example", { language });
  return (
    <Section title={translate("studio.keys.use_it")}>
      <Typography variant="body2" color="text.secondary" gutterBottom>{translate("studio.keys.keep")}</Typography>
      <Paper variant="outlined" sx={{ minWidth: 0 }}>
        <Tabs value={place} onChange={(_, chosen: number) => setPlace(chosen)} aria-label={translate("studio.keys.use_it")}>
          {EXAMPLES.map((each, index) => <Tab key={each.language} value={index} label={each.language} id={`${id}-tab-${index}`} aria-controls={`${id}-panel`} sx={{ textTransform: "none" }} />)}
        </Tabs>
        <Box role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${place}`} sx={{ p: 2 }}>
          <Box component="pre" tabIndex={0} role="group" aria-label={label} sx={{ m: 0, mb: 1, overflowX: "auto", fontSize: "0.85em" }}><code>{text}</code></Box>
          <CopyButton text={text} what={label} />
        </Box>
      </Paper>
    </Section>
  );
}
