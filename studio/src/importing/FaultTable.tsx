/** The rows that are refused, where they can be mended or left out. */
import { Box, Button, Table, TableBody, TableCell, TableHead, TableRow, TextField, Typography } from "@mui/material";
import { useTranslate } from "react-admin";

import type { Lookup, Mapping } from "./mapping";
import type { Fault } from "./sending";
import type { Sheet } from "./sheets";

interface Props {
  sheet: Sheet;
  mapping: Mapping;
  lookups: readonly Lookup[];
  faults: readonly Fault[];
  label: (name: string) => string;
  onMend: (row: number, column: string, value: unknown) => void;
  onLeaveOut: (row: number) => void;
}

/** Rows that are shown at once; with more, it is rather the file that has to be mended. */
const SHOWN = 50;

export function FaultTable({ sheet, mapping, lookups, faults, label, onMend, onLeaveOut }: Props) {
  const translate = useTranslate();
  const fieldOf = (column: string) => lookups.find(({ source }) => source === mapping[column]!.field)?.reference ?? mapping[column]!.field;
  const mapped = Object.keys(mapping).filter((column) => mapping[column]!.field !== "");
  const isWrong = (fault: Fault, column: string) => fault.fields[fieldOf(column)] ?? fault.fields[mapping[column]!.field];
  const wrong = mapped.filter((column) => faults.some((fault) => isWrong(fault, column)));
  // What tells one row from another, beside what is wrong with it.
  const shown = [...mapped.filter((column) => !wrong.includes(column)).slice(0, Math.max(1, 3 - wrong.length)), ...wrong];
  const said = (texts: readonly string[]) => texts.map((text) => translate(text, { _: text })).join(" ");
  const rowOf = ({ row }: Fault) => translate("studio.transfer.row", { row: row + (sheet.isText ? 2 : 1) });
  const others = (fault: Fault) => Object.entries(fault.fields).filter(([name]) => !mapped.some((column) => fieldOf(column) === name || mapping[column]!.field === name)).map(([name, texts]) => `${label(name)}: ${said(texts)}`);
  return (
    <Box sx={{ overflowX: "auto", maxHeight: 360 }} tabIndex={0} role="region" aria-label={translate("studio.transfer.faults")}>
      <Table size="small" stickyHeader>
        <TableHead>
          <TableRow>
            <TableCell>{translate("studio.transfer.row_head")}</TableCell>
            {shown.map((column) => <TableCell key={column}>{column}</TableCell>)}
            <TableCell />
          </TableRow>
        </TableHead>
        <TableBody>
          {faults.slice(0, SHOWN).map((fault) => (
            <TableRow key={fault.row} sx={{ verticalAlign: "top" }}>
              <TableCell component="th" scope="row">{rowOf(fault)}</TableCell>
              {shown.map((column) => (
                <TableCell key={column} sx={{ minWidth: 140 }}>
                  <Cell name={`${column}, ${rowOf(fault)}`} value={sheet.rows[fault.row]?.[column]} wrong={isWrong(fault, column) && said(isWrong(fault, column)!)} onChange={(value) => onMend(fault.row, column, value)} />
                </TableCell>
              ))}
              <TableCell>
                {others(fault).map((text) => <Typography key={text} variant="body2" color="error">{text}</Typography>)}
                {Object.keys(fault.fields).length === 0 && <Typography variant="body2" color="error">{said([fault.error])}</Typography>}
                <Button size="small" onClick={() => onLeaveOut(fault.row)}>{translate("studio.transfer.leave_out")}</Button>
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {faults.length > SHOWN && <Typography variant="body2" color="text.secondary">{translate("studio.transfer.more_faults", { smart_count: faults.length - SHOWN })}</Typography>}
    </Box>
  );
}

function Cell({ name, value, wrong, onChange }: { name: string; value: unknown; wrong: string | undefined; onChange: (value: unknown) => void }) {
  const isText = value === undefined || value === null || typeof value === "string";
  const change = (text: string) => onChange(isText ? text : parsed(text));
  return <TextField fullWidth size="small" value={isText ? (value ?? "") : JSON.stringify(value)} error={Boolean(wrong)} helperText={wrong} onChange={(event) => change(event.target.value)} slotProps={{ htmlInput: { "aria-label": name } }} />;
}

/** What a text means that stands for a value of JSON; the text itself where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
