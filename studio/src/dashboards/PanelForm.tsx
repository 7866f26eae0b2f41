/** The form of a panel: what it shows, of which records, and how. */
import { Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel, MenuItem, Stack, TextField, Typography } from "@mui/material";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { useTranslate } from "react-admin";

import { fieldOf, nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { Filters } from "../lists/Filters";
import { INTERVALS, KINDS, MEASURES, type Panel, dividing, isChart, isKnown, isTime, measured } from "./panels";

interface Props {
  panel: Panel;
  isNew: boolean;
  onKeep: (panel: Panel) => void;
  onClose: () => void;
}

export function PanelForm({ panel: begun, isNew, onKeep, onClose }: Props) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const title = useId();
  const [panel, setPanel] = useState(begun);
  const change = (values: Partial<Panel>) => setPanel({ ...panel, ...values });
  const model = catalogue.get(panel.model);
  const isReady = isKnown(catalogue, panel) && (panel.kind !== "text" || panel.text.trim() !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onKeep({ ...panel, title: panel.title.trim() });
  };
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby={title}>
      <form onSubmit={submit}>
        <DialogTitle id={title}>{translate(isNew ? "studio.dashboards.add" : "studio.dashboards.edit")}</DialogTitle>
        <DialogContent>
          <Stack spacing={2} sx={{ pt: 1 }}>
            <Choice label="studio.dashboards.kind" value={panel.kind} onChange={(kind) => change({ kind: kind as Panel["kind"] })}>
              {KINDS.map((kind) => <MenuItem key={kind} value={kind}>{translate(`studio.dashboards.kinds.${kind}`)}</MenuItem>)}
            </Choice>
            <TextField label={translate("studio.dashboards.panel_title")} value={panel.title} onChange={(event) => change({ title: event.target.value })} slotProps={{ htmlInput: { maxLength: 120 } }} />
            {panel.kind === "text"
              ? <TextField multiline minRows={4} label={translate("studio.dashboards.text")} helperText="Markdown" value={panel.text} onChange={(event) => change({ text: event.target.value })} slotProps={{ htmlInput: { maxLength: 4000 } }} />
              : <Asked panel={panel} model={model} change={change} />}
            <FormControlLabel label={translate("studio.dashboards.wide")} control={<Checkbox size="small" checked={panel.isWide} onChange={(_, isWide) => change({ isWide })} />} />
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate("studio.record.cancel")}</Button>
          <Button type="submit" variant="contained" disabled={!isReady}>{translate("studio.dashboards.keep")}</Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface AskedProps {
  panel: Panel;
  model: Model | undefined;
  change: (values: Partial<Panel>) => void;
}

/** Of which records, what is measured of them, and how a chart is divided. */
function Asked({ panel, model, change }: AskedProps) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const named = catalogue.listed.map((each) => ({ name: nameOf(each), title: translate(`resources.${nameOf(each)}.name`, { smart_count: 2 }) })).sort((one, other) => one.title.localeCompare(other.title));
  const choose = (name: string) => {
    const chosen = catalogue.get(name);
    change({ model: name, conditions: [], measure: "count", of: "", group: chosen ? (dividing(chosen)[0]?.name ?? "") : "" });
  };
  const option = ({ name }: Field) => <MenuItem key={name} value={name}>{translate(`resources.${panel.model}.fields.${name}`)}</MenuItem>;
  return (
    <>
      <Choice label="studio.dashboards.records" value={panel.model} onChange={choose}>{named.map(({ name, title }) => <MenuItem key={name} value={name}>{title}</MenuItem>)}</Choice>
      {model && panel.kind !== "list" && (
        <Stack direction={{ xs: "column", sm: "row" }} spacing={2}>
          <Choice label="studio.dashboards.measure" value={panel.measure} onChange={(measure) => change({ measure: measure as Panel["measure"], of: measure === "count" ? "" : (measured(model)[0]?.name ?? "") })}>
            {MEASURES.filter((each) => each === "count" || measured(model).length > 0).map((each) => <MenuItem key={each} value={each}>{translate(`studio.dashboards.measures.${each}`)}</MenuItem>)}
          </Choice>
          {panel.measure !== "count" && <Choice label="studio.dashboards.of" value={panel.of} onChange={(of) => change({ of })}>{measured(model).map(option)}</Choice>}
        </Stack>
      )}
      {model && isChart(panel) && (
        <Stack direction={{ xs: "column", sm: "row" }} spacing={2}>
          <Choice label="studio.dashboards.group" value={panel.group} onChange={(group) => change({ group })}>{dividing(model).map(option)}</Choice>
          {isTime(fieldOf(model, panel.group)) && (
            <Choice label="studio.dashboards.by" value={panel.by} onChange={(by) => change({ by: by as Panel["by"] })}>{INTERVALS.map((each) => <MenuItem key={each} value={each}>{translate(`studio.dashboards.intervals.${each}`)}</MenuItem>)}</Choice>
          )}
        </Stack>
      )}
      {model && (
        <Stack direction="row" useFlexGap sx={{ alignItems: "center", flexWrap: "wrap", gap: 1 }}>
          <Typography variant="body2" color="text.secondary">{translate("studio.dashboards.only")}</Typography>
          <Filters model={model} conditions={panel.conditions} onChange={(conditions) => change({ conditions })} />
        </Stack>
      )}
    </>
  );
}

function Choice({ label, value, onChange, children }: { label: string; value: string; onChange: (value: string) => void; children: ReactNode }) {
  const translate = useTranslate();
  return <TextField select fullWidth label={translate(label)} value={value} onChange={(event) => onChange(event.target.value)}>{children}</TextField>;
}
