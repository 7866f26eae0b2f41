/** A tool that somebody chooses, fills in and runs, in their own name. */
import { Box, Chip, LinearProgress, MenuItem, TextField, Typography } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";

import { Section } from "../design/Section";
import { Question } from "../organizations/Question";
import { HIDDEN } from "../values/Value";
import { Answer, type Outcome } from "./Answer";
import { ToolForm } from "./ToolForm";
import { type Tool, callTool, useTools, writes } from "./tools";

export function TryTool() {
  const translate = useTranslate();
  const query = useTools();
  const [name, setName] = useState<string>();
  const tools = query.data ?? [];
  const tool = tools.find((each) => each.name === name) ?? tools[0];
  const text = translate(tool ? "studio.assistants.try_text" : "studio.assistants.no_tools");
  return (
    <Section title={translate("studio.assistants.try")} query={query}>
      <Typography sx={{ mb: 2 }}>{text}</Typography>
      {tool && (
        <>
          <TextField
            select fullWidth label={translate("studio.assistants.tool")} value={tool.name} sx={{ maxWidth: 640 }}
            onChange={(event) => setName(event.target.value)}
          >
            {tools.map((each) => <MenuItem key={each.name} value={each.name}>{each.title ?? each.name}</MenuItem>)}
          </TextField>
          <Chosen key={tool.name} tool={tool} />
        </>
      )}
    </Section>
  );
}

function Chosen({ tool }: { tool: Tool }) {
  const translate = useTranslate();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  // Arguments that wait until somebody has said that they mean it.
  const [waiting, setWaiting] = useState<Record<string, unknown>>();
  const run = async (given: Record<string, unknown>) => {
    setBusy(true);
    setOutcome(undefined);
    setOutcome(await callTool(tool.name, given).then((result) => ({ result }), (error: unknown) => ({ error })));
    setBusy(false);
  };
  const isAnswered = outcome?.result && !outcome.result.isError;
  return (
    <>
      <About tool={tool} />
      <ToolForm tool={tool} isBusy={isBusy} onRun={writes(tool) ? setWaiting : (given) => void run(given)} />
      {waiting && (
        <Question
          title={translate("studio.assistants.write_title", { tool: tool.title ?? tool.name })}
          text={translate("studio.assistants.write_text")} label={translate("studio.assistants.run")}
          onDo={() => run(waiting)} onClose={() => setWaiting(undefined)}
        />
      )}
      {/* Read out where the answer itself would be too long for it. */}
      <Box role="status" sx={HIDDEN}>{isAnswered && translate("studio.assistants.answered")}</Box>
      {isBusy && <LinearProgress aria-label={translate("studio.assistants.running")} sx={{ mt: 2 }} />}
      {outcome && <Answer outcome={outcome} />}
    </>
  );
}

function About({ tool }: { tool: Tool }) {
  const translate = useTranslate();
  const { name, description, annotations } = tool;
  const deed = !writes(tool) ? "reads" : annotations?.destructiveHint ? "destroys" : "writes";
  return (
    <Box sx={{ my: 2 }}>
      <Box component="code" sx={{ fontSize: "0.85em", mr: 1, overflowWrap: "anywhere" }}>{name}</Box>
      <Chip
        component="span" size="small" variant="outlined" color={deed === "reads" ? "default" : "warning"}
        label={translate(`studio.assistants.it_${deed}`)}
      />
      <Typography variant="body2" sx={{ mt: 1, whiteSpace: "pre-line" }}>{description}</Typography>
    </Box>
  );
}
