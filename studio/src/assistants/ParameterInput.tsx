/** The input of one argument of a tool, by what its schema says. */
import { Box, FormControlLabel, FormHelperText, MenuItem, Switch, TextField } from "@mui/material";
import { useTranslate } from "react-admin";

import type { Entry, Fault, Parameter } from "./parameters";

interface Props {
  id: string;
  parameter: Parameter;
  entry: Entry;
  fault: Fault | undefined;
  onChange: (entry: Entry) => void;
  onLeave: () => void;
}

const CODE = { fontFamily: "monospace" } as const;

export function ParameterInput(props: Props) {
  return props.parameter.kind === "switch" ? <SwitchInput {...props} /> : <TextInput {...props} />;
}

function TextInput({ id, parameter: { name, kind, isRequired, schema }, entry, fault, onChange, onLeave }: Props) {
  const translate = useTranslate();
  const choices = kind === "choice" ? (schema.enum ?? []).map(String) : [];
  const isNumber = kind === "integer" || kind === "number";
  const bounds = { min: schema.minimum, max: schema.maximum, step: kind === "integer" ? 1 : "any" };
  const help = [
    schema.description, kind === "texts" && translate("studio.assistants.commas"),
    kind === "json" && translate("studio.assistants.json"),
  ];
  return (
    <TextField
      id={id} label={name} required={isRequired} fullWidth value={entry ?? ""} error={fault !== undefined}
      helperText={fault ? translate(fault.key, fault.words) : help.filter(Boolean).join(" ")}
      type={isNumber ? "number" : "text"} select={kind === "choice"} autoComplete="off"
      {...(kind === "json" ? { multiline: true, minRows: 2, maxRows: 16 } : {})}
      onChange={(event) => onChange(event.target.value)} onBlur={onLeave}
      slotProps={{
        htmlInput: { spellCheck: false, ...(isNumber ? bounds : {}) }, input: kind === "json" ? { sx: CODE } : {},
        formHelperText: { sx: { overflowWrap: "anywhere" } },
      }}
    >
      {kind === "choice" && !isRequired && <MenuItem value="">{translate("studio.input.unset")}</MenuItem>}
      {choices.map((each) => <MenuItem key={each} value={each}>{each}</MenuItem>)}
    </TextField>
  );
}

function SwitchInput({ id, parameter: { name, isRequired, schema }, entry, onChange }: Props) {
  const translate = useTranslate();
  const isOpen = entry === undefined && !isRequired;
  const help = [schema.description, isOpen && translate("studio.assistants.unset")].filter(Boolean).join(" ");
  const told = { id, "aria-describedby": `${id}-help` };
  return (
    <Box>
      <FormControlLabel
        required={isRequired} label={name}
        control={<Switch checked={entry === true} onChange={(_, on) => onChange(on)} slotProps={{ input: told }} />}
      />
      <FormHelperText id={`${id}-help`} sx={{ mt: 0 }}>{help}</FormHelperText>
    </Box>
  );
}
