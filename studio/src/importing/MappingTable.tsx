/** Which column of a file becomes which field, and how it writes its values. */
import { Box, MenuItem, Stack, Table, TableBody, TableCell, TableHead, TableRow, TextField } from "@mui/material";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { Value } from "../values/Value";
import type { Lookup, Mapping } from "./mapping";
import type { Sheet } from "./sheets";
import { type Writing, answered, converter, writingsOf } from "./written";

interface Props {
  model: Model;
  sheet: Sheet;
  lookups: readonly Lookup[];
  mapping: Mapping;
  onBecome: (column: string, field: string) => void;
  onWrite: (column: string, writing: Writing) => void;
}

/** Rows among which the first values are looked for. */
const LOOKED_AT = 200;

export function MappingTable({ model, sheet, lookups, mapping, onBecome, onWrite }: Props) {
  const translate = useTranslate();
  const settable = model.fields.filter((field) => field.settable.includes("create") && field.display !== "file");
  const label = (name: string) => translate(`resources.${nameOf(model)}.fields.${name}`);
  const sample = (column: string) => sheet.rows.slice(0, LOOKED_AT).map((row) => row[column]).filter((value) => value !== undefined && value !== "").slice(0, 3).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return (
    <Box sx={{ overflowX: "auto" }}>
      <Table size="small">
        <TableHead>
          <TableRow>{["column", "sample", "becomes"].map((each) => <TableCell key={each}>{translate(`studio.transfer.${each}`)}</TableCell>)}</TableRow>
        </TableHead>
        <TableBody>
          {sheet.columns.map((column) => {
            const field = settable.find(({ name }) => name === mapping[column]?.field);
            return (
              <TableRow key={column}>
                <TableCell component="th" scope="row">{column}</TableCell>
                <TableCell sx={{ maxWidth: 240, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{sample(column).join(" · ")}</TableCell>
                <TableCell>
                  <TextField select size="small" fullWidth value={mapping[column]?.field ?? ""} onChange={(event) => onBecome(column, event.target.value)} slotProps={{ htmlInput: { "aria-label": `${translate("studio.transfer.becomes")}: ${column}` }, select: { displayEmpty: true } }}>
                    <MenuItem value="">{translate("studio.transfer.ignore")}</MenuItem>
                    {settable.map((each) => <MenuItem key={each.name} value={each.name}>{label(each.name)}{each.required ? " *" : ""}</MenuItem>)}
                    {lookups.map(({ source, reference, target, field: name }) => <MenuItem key={source} value={source}>{label(reference)}: {translate(`resources.${target}.fields.${name}`)}</MenuItem>)}
                  </TextField>
                  {field && sheet.isText && <WritingChoice model={model} field={field} column={column} writing={mapping[column]?.writing} first={sample(column)[0]} onChange={(writing) => onWrite(column, writing)} />}
                </TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
    </Box>
  );
}

interface WritingProps {
  model: Model;
  field: Field;
  column: string;
  writing: Writing | undefined;
  first: string | undefined;
  onChange: (writing: Writing) => void;
}

/** How the values of a column are written, with what its first one becomes by that. */
function WritingChoice({ model, field, column, writing = "stored", first, onChange }: WritingProps) {
  const translate = useTranslate();
  const choices = writingsOf(field)?.choices;
  if (!choices) return null;
  return (
    <Stack direction="row" spacing={1} sx={{ mt: 0.5, alignItems: "center" }}>
      <TextField select variant="standard" size="small" value={writing} onChange={(event) => onChange(event.target.value as Writing)} slotProps={{ htmlInput: { "aria-label": `${translate("studio.transfer.written")}: ${column}` } }}>
        {choices.map((each) => <MenuItem key={each} value={each}>{translate(`studio.transfer.writings.${each}`)}</MenuItem>)}
      </TextField>
      {first !== undefined && <Box component="span" sx={{ color: "text.secondary" }}>→ <Value model={model} field={field} record={{ [field.name]: answered(field, converter(field, writing)(first)) }} /></Box>}
    </Stack>
  );
}
