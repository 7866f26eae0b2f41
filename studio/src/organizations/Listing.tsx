/** Rows of a few columns: a table, and cards where that has no room. The first column names the row. */
import { Box, Button, Paper, Stack, Table, TableBody, TableCell, TableContainer, TableHead, TableRow, Typography, useMediaQuery } from "@mui/material";
import { type ReactNode, useState } from "react";
import { useTranslate } from "react-admin";

export interface Column<T> {
  name: string;
  label: string;
  /** Nothing where the row has none. */
  cell: (row: T) => ReactNode;
}

interface Props<T> {
  title: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** What stands where there are no rows. */
  empty: string;
}

/** Rows that are shown at once: each has controls, of which a thousand are slow. */
const STEP = 100;

export function Listing<T extends { id: string }>(props: Props<T>) {
  const { title, rows, empty } = props;
  const translate = useTranslate();
  const isPhone = useMediaQuery("(max-width: 700px)");
  const [most, setMost] = useState(STEP);
  if (rows.length === 0) return <Typography color="text.secondary">{empty}</Typography>;
  const shown = { ...props, rows: rows.slice(0, most) };
  return (
    <>
      {isPhone ? <Cards {...shown} /> : <Rows {...shown} />}
      {rows.length > most && <Button onClick={() => setMost(rows.length)} sx={{ mt: 1 }}>{translate("studio.record.show_all", { models: title })}</Button>}
    </>
  );
}

function Rows<T extends { id: string }>({ title, columns, rows }: Props<T>) {
  const [first, ...others] = columns;
  return (
    <TableContainer component={Paper} variant="outlined">
      <Table size="small" aria-label={title}>
        <TableHead><TableRow>{columns.map(({ name, label }) => <TableCell key={name}>{label}</TableCell>)}</TableRow></TableHead>
        <TableBody>
          {rows.map((row) => (
            <TableRow key={row.id}>
              <TableCell component="th" scope="row" sx={{ overflowWrap: "anywhere" }}>{first?.cell(row)}</TableCell>
              {others.map(({ name, cell }) => <TableCell key={name}>{cell(row)}</TableCell>)}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

function Cards<T extends { id: string }>({ title, columns, rows }: Props<T>) {
  const [first, ...others] = columns;
  return (
    <Stack component="ul" aria-label={title} spacing={1} sx={{ listStyle: "none", m: 0, p: 0 }}>
      {rows.map((row) => (
        <Paper key={row.id} component="li" variant="outlined" sx={{ p: 1.5, minWidth: 0 }}>
          <Box sx={{ overflowWrap: "anywhere", fontWeight: 600 }}>{first?.cell(row)}</Box>
          <Box component="dl" sx={{ m: 0, mt: 1, display: "grid", gap: 0.5 }}>
            {others.map(({ name, label, cell }) => <Line key={name} label={label}>{cell(row)}</Line>)}
          </Box>
        </Paper>
      ))}
    </Stack>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false) return null;
  return (
    <Stack direction="row" spacing={1} sx={{ justifyContent: "space-between", alignItems: "center" }}>
      <Typography component="dt" variant="body2" color="text.secondary">{label}</Typography>
      <Box component="dd" sx={{ m: 0, minWidth: 0, textAlign: "end", overflowWrap: "anywhere" }}>{children}</Box>
    </Stack>
  );
}
