/** What came of a call: what the tool answers, or why it does not. */
import { Alert, AlertTitle, Box, Paper, Typography } from "@mui/material";
import { useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { Snippet } from "./Snippet";
import { type Result, textOf } from "./tools";

export interface Outcome {
  result?: Result;
  error?: unknown;
}

export function Answer({ outcome: { result, error } }: { outcome: Outcome }) {
  const translate = useTranslate();
  const sentence = useSentence();
  if (!result) return <Alert severity="error" sx={{ mt: 2 }}>{sentence(error)}</Alert>;
  if (result.isError) {
    return (
      <Alert severity="error" sx={{ mt: 2 }}>
        <AlertTitle>{translate("studio.assistants.wrong")}</AlertTitle>
        <Box sx={{ whiteSpace: "pre-wrap" }}>{textOf(result) || shownOf(result)}</Box>
      </Alert>
    );
  }
  const label = translate("studio.assistants.answer");
  return (
    <Box sx={{ mt: 2 }}>
      <Typography component="h3" variant="subtitle1" gutterBottom>{label}</Typography>
      <Paper variant="outlined" sx={{ p: 2 }}>
        <Snippet text={shownOf(result) || textOf(result) || translate("studio.assistants.nothing")} label={label} />
      </Paper>
    </Box>
  );
}

function shownOf({ structuredContent }: Result): string {
  return structuredContent === undefined ? "" : JSON.stringify(structuredContent, null, 2);
}
