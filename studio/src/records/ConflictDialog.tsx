/** Two versions of a record side by side: for each field that both sides changed, somebody says which one counts. */
import { VERSION } from "@rowgate/client/react-admin";
import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle, FormControlLabel, Radio, RadioGroup, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { Value } from "../values/Value";
import { type Row, compared } from "./values";

type Side = "mine" | "stored";

interface Props {
  model: Model;
  base: Row;
  mine: Row;
  /** As it is now; undefined where it was deleted. */
  stored: Row | undefined;
  onSettle: (values: Row) => void;
  onReload: () => void;
  onCancel: () => void;
}

export function ConflictDialog({ model, base, mine, stored, onSettle, onReload, onCancel }: Props) {
  const translate = useTranslate();
  const resource = nameOf(model);
  const [chosen, setChosen] = useState<Record<string, Side>>({});
  const { changed, contested } = compared(model, base, mine, stored);
  const settle = () => {
    const kept = changed.filter(({ name }) => !contested.some((field) => field.name === name) || (chosen[name] ?? "mine") === "mine");
    onSettle({ ...stored!, ...Object.fromEntries(kept.map(({ name }) => [name, mine[name]])), [VERSION]: stored![VERSION] });
  };
  return (
    <Dialog open onClose={onCancel} maxWidth="md" fullWidth aria-labelledby="conflict-title" aria-describedby="conflict-text">
      <DialogTitle id="conflict-title">{translate("studio.conflict.title")}</DialogTitle>
      <DialogContent>
        <DialogContentText id="conflict-text" gutterBottom>{translate(stored ? "studio.conflict.text" : "studio.conflict.gone")}</DialogContentText>
        {contested.length > 0 && stored && (
          <Table size="small">
            <TableHead><TableRow>{["field", "yours", "theirs"].map((each) => <TableCell key={each}>{translate(`studio.conflict.${each}`)}</TableCell>)}</TableRow></TableHead>
            <TableBody>
              {contested.map((field) => (
                <Choice
                  key={field.name} field={field} model={model} mine={mine} stored={stored} side={chosen[field.name] ?? "mine"} label={translate(`resources.${resource}.fields.${field.name}`)}
                  onChange={(side) => setChosen({ ...chosen, [field.name]: side })}
                />
              ))}
            </TableBody>
          </Table>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onCancel}>{translate("studio.record.cancel")}</Button>
        <Button onClick={onReload}>{translate("studio.conflict.reload")}</Button>
        {stored && <Button variant="contained" onClick={settle}>{translate("studio.conflict.save")}</Button>}
      </DialogActions>
    </Dialog>
  );
}

interface ChoiceProps {
  field: Field;
  model: Model;
  mine: Row;
  stored: Row;
  side: Side;
  label: string;
  onChange: (side: Side) => void;
}

function Choice({ field, model, mine, stored, side, label, onChange }: ChoiceProps) {
  const option = (which: Side, record: Row) => (
    <TableCell>
      <FormControlLabel value={which} control={<Radio size="small" checked={side === which} onChange={() => onChange(which)} />} label={<Value model={model} field={field} record={plain(record, model, field)} />} />
    </TableCell>
  );
  return (
    <TableRow>
      <TableCell component="th" scope="row">{label}</TableCell>
      <RadioGroup aria-label={label} sx={{ display: "contents" }}>{option("mine", mine)}{option("stored", stored)}</RadioGroup>
    </TableRow>
  );
}

/** Without what was expanded beside a reference, which may be of the other version. */
function plain(record: Row, model: Model, field: Field): Row {
  const beside = model.relations.find(({ reference, many }) => reference === field.name && !many)?.name;
  return beside ? (Object.fromEntries(Object.entries(record).filter(([name]) => name !== beside)) as Row) : record;
}
