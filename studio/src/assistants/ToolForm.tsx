/** The arguments of a tool. What is wrong stands at its input, once somebody has left it or has tried to run. */
import { Button, Stack } from "@mui/material";
import { type FormEvent, useId, useMemo, useState } from "react";
import { useTranslate } from "react-admin";

import { ParameterInput } from "./ParameterInput";
import { argumentsOf, faultOf, firstEntries, parametersOf } from "./parameters";
import type { Tool } from "./tools";

interface Props {
  tool: Tool;
  isBusy: boolean;
  onRun: (given: Record<string, unknown>) => void;
}

export function ToolForm({ tool, isBusy, onRun }: Props) {
  const translate = useTranslate();
  const id = useId();
  const parameters = useMemo(() => parametersOf(tool.inputSchema), [tool]);
  const [entries, setEntries] = useState(() => firstEntries(parameters));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const leave = (...names: readonly string[]) => setLeft((before) => new Set([...before, ...names]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = parameters.find((each) => faultOf(each, entries[each.name]));
    if (!wrong) return onRun(argumentsOf(parameters, entries));
    leave(...parameters.map(({ name }) => name));
    return document.getElementById(`${id}-${wrong.name}`)?.focus();
  };
  return (
    <Stack component="form" noValidate onSubmit={submit} spacing={2} sx={{ maxWidth: 640 }}>
      {parameters.map((parameter) => {
        const { name } = parameter;
        return (
          <ParameterInput
            key={name} id={`${id}-${name}`} parameter={parameter} entry={entries[name]}
            fault={left.has(name) ? faultOf(parameter, entries[name]) : undefined}
            onChange={(entry) => setEntries((before) => ({ ...before, [name]: entry }))} onLeave={() => leave(name)}
          />
        );
      })}
      <Button type="submit" variant="contained" disabled={isBusy} sx={{ alignSelf: "start" }}>
        {translate("studio.assistants.run")}
      </Button>
    </Stack>
  );
}
