/** What a version changed, field by field. */
import { Box, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { useTranslate } from "react-admin";

import { fieldOf, nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import type { Row } from "../records/values";
import { Value } from "../values/Value";
import type { Version } from "./log";

interface Props {
  model: Model;
  /** As far as it is known: the currency of an amount may stand in it alone. */
  record: Row;
  version: Version;
}

export function Differences({ model, record, version: { changed, before, after } }: Props) {
  const translate = useTranslate();
  const fields = changed.flatMap((name) => fieldOf(model, name) ?? []);
  // What is expanded beside a reference is of today.
  const values = (side: Partial<Row> | null): Row => ({ ...Object.fromEntries(model.fields.map(({ name }) => [name, record[name]])), ...side, id: record.id });
  return (
    <Box sx={{ overflowX: "auto" }}>
      <Table size="small">
        <TableHead><TableRow>{["field", "before", "after"].map((each) => <TableCell key={each}>{translate(`studio.changes.${each}`)}</TableCell>)}</TableRow></TableHead>
        <TableBody>
          {fields.map((field) => (
            <TableRow key={field.name}>
              <TableCell component="th" scope="row">{translate(`resources.${nameOf(model)}.fields.${field.name}`)}</TableCell>
              <TableCell sx={{ overflowWrap: "anywhere" }}>{before ? <Value model={model} field={field} record={values(before)} /> : translate("studio.changes.unknown")}</TableCell>
              <TableCell sx={{ overflowWrap: "anywhere" }}><Value model={model} field={field} record={values(after)} /></TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}
