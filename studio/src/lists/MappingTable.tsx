/** Which column of a file becomes which field. */
import { Box, MenuItem, Table, TableBody, TableCell, TableHead, TableRow, TextField } from "@mui/material";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import type { Lookup, Sheet } from "./importing";

interface Props {
  model: Model;
  sheet: Sheet;
  lookups: readonly Lookup[];
  mapping: Record<string, string>;
  onChange: (mapping: Record<string, string>) => void;
}

export function MappingTable({ model, sheet, lookups, mapping, onChange }: Props) {
  const translate = useTranslate();
  const settable = model.fields.filter((field) => field.settable.includes("create") && field.display !== "file");
  const label = (name: string) => translate(`resources.${nameOf(model)}.fields.${name}`);
  const sample = (column: string) => sheet.rows.slice(0, 3).map((row) => row[column]).filter((value) => value !== undefined && value !== "").map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" · ");
  return (
    <Box sx={{ overflowX: "auto" }}>
      <Table size="small">
        <TableHead>
          <TableRow>{["column", "sample", "becomes"].map((each) => <TableCell key={each}>{translate(`studio.transfer.${each}`)}</TableCell>)}</TableRow>
        </TableHead>
        <TableBody>
          {sheet.columns.map((column) => (
            <TableRow key={column}>
              <TableCell component="th" scope="row">{column}</TableCell>
              <TableCell sx={{ maxWidth: 240, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>{sample(column)}</TableCell>
              <TableCell>
                <TextField select size="small" fullWidth value={mapping[column] ?? ""} onChange={(event) => onChange({ ...mapping, [column]: event.target.value })} slotProps={{ htmlInput: { "aria-label": `${translate("studio.transfer.becomes")}: ${column}` }, select: { displayEmpty: true } }}>
                  <MenuItem value="">{translate("studio.transfer.ignore")}</MenuItem>
                  {settable.map((field) => <MenuItem key={field.name} value={field.name}>{label(field.name)}{field.required ? " *" : ""}</MenuItem>)}
                  {lookups.map(({ source, reference, target, field }) => <MenuItem key={source} value={source}>{label(reference)}: {translate(`resources.${target}.fields.${field}`)}</MenuItem>)}
                </TextField>
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}
