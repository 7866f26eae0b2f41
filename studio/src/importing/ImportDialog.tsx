/** A file becomes records: chosen, its columns mapped, checked, mended where it has to be, and imported. */
import { Alert, Box, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel, LinearProgress, MenuItem, Stack, TextField, Typography } from "@mui/material";
import { type ChangeEvent, type DragEvent, useRef } from "react";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { HIDDEN } from "../values/Value";
import { FaultTable } from "./FaultTable";
import { MappingTable } from "./MappingTable";
import { ENCODINGS, type Encoding } from "./encodings";
import type { Job, Options } from "./sending";
import { type Outcome, useImport } from "./useImport";

interface Props {
  model: Model;
  onClose: () => void;
  onDone: () => void;
}

export default function ImportDialog({ model, onClose, onDone }: Props) {
  const translate = useTranslate();
  const { sheet, mapping, options, outcome, job, problem, isBusy, isDone, label, lookups, missing, ...does } = useImport(model, onDone);
  return (
    <Dialog open onClose={isBusy ? () => undefined : onClose} fullWidth maxWidth="md" aria-labelledby="import-title">
      <DialogTitle id="import-title">{translate("studio.transfer.import_title", { models: translate(`resources.${nameOf(model)}.name`, { smart_count: 2 }) })}</DialogTitle>
      <DialogContent>
        <Stack spacing={2}>
          {!sheet && <FileChoice onChoose={(file) => void does.read(file)} />}
          {sheet && !isDone && (
            <>
              {sheet.encoding && <EncodingChoice encoding={sheet.encoding} onChange={(encoding) => void does.readAs(encoding)} />}
              <MappingTable model={model} sheet={sheet} lookups={lookups} mapping={mapping} onBecome={does.become} onWrite={does.write} />
              {missing.length > 0 && <Alert severity="warning">{translate("studio.transfer.required", { fields: missing.map(({ name }) => label(name)).join(", ") })}</Alert>}
              <Existing model={model} options={options} onChange={does.choose} label={label} />
            </>
          )}
          {isBusy && <Progress job={job} />}
          {problem && <Alert severity="error">{problem}</Alert>}
          {outcome && <Result outcome={outcome} isPartial={options.partial} undo={does.takeBack && (() => does.takeBack!(onClose))} />}
          {sheet && outcome && outcome.faults.length > 0 && <FaultTable sheet={sheet} mapping={mapping} lookups={lookups} faults={outcome.faults} label={label} onMend={does.mend} onLeaveOut={does.leaveOut} />}
        </Stack>
      </DialogContent>
      <DialogActions>
        {sheet && <Button disabled={isBusy} onClick={does.forget}>{translate("studio.transfer.another")}</Button>}
        <Button disabled={isBusy} onClick={onClose}>{translate("studio.transfer.close")}</Button>
        {sheet && !isDone && <Button disabled={isBusy} onClick={() => void does.check()}>{translate("studio.transfer.check")}</Button>}
        {sheet && !isDone && <Button variant="contained" disabled={isBusy || sheet.rows.length === 0} onClick={() => void does.start()}>{translate("studio.transfer.start", { smart_count: sheet.rows.length })}</Button>}
      </DialogActions>
    </Dialog>
  );
}

function FileChoice({ onChoose }: { onChoose: (file: File | undefined) => void }) {
  const translate = useTranslate();
  const input = useRef<HTMLInputElement>(null);
  // The same file may be chosen again, once it is mended.
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => (onChoose(target.files?.[0]), (target.value = ""));
  const drop = (event: DragEvent) => (event.preventDefault(), onChoose(event.dataTransfer.files[0]));
  return (
    <Stack spacing={1} onDragOver={(event) => event.preventDefault()} onDrop={drop} sx={{ border: 2, borderStyle: "dashed", borderColor: "divider", borderRadius: 1, p: 4, alignItems: "center" }}>
      <Box component="input" ref={input} type="file" accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl" tabIndex={-1} aria-hidden onChange={choose} sx={HIDDEN} />
      <Button variant="outlined" onClick={() => input.current?.click()}>{translate("studio.transfer.choose")}</Button>
      <Typography color="text.secondary">{translate("studio.transfer.drop")}</Typography>
    </Stack>
  );
}

function EncodingChoice({ encoding, onChange }: { encoding: Encoding; onChange: (encoding: Encoding) => void }) {
  const translate = useTranslate();
  return (
    <TextField select size="small" label={translate("studio.transfer.encoding")} helperText={translate("studio.transfer.encoding_help")} value={encoding} onChange={(event) => onChange(event.target.value as Encoding)} sx={{ maxWidth: 360, "&&": { mt: 1 } }}>
      {ENCODINGS.map((each) => <MenuItem key={each} value={each}>{translate(`studio.transfer.encodings.${each}`)}</MenuItem>)}
    </TextField>
  );
}

function Existing({ model, options, onChange, label }: { model: Model; options: Options; onChange: (options: Options) => void; label: (name: string) => string }) {
  const translate = useTranslate();
  return (
    <Stack direction={{ xs: "column", sm: "row" }} spacing={2} sx={{ alignItems: "center" }}>
      {Boolean(model.upsertBy?.length) && (
        <>
          <TextField select fullWidth size="small" label={translate("studio.transfer.existing")} value={options.resolution} onChange={(event) => onChange({ ...options, resolution: event.target.value as Options["resolution"] })}>
            {(["error", "merge", "ignore"] as const).map((each) => <MenuItem key={each} value={each}>{translate(`studio.transfer.existing_${each}`)}</MenuItem>)}
          </TextField>
          {options.resolution !== "error" && (
            <TextField select fullWidth size="small" label={translate("studio.transfer.by")} value={options.by} onChange={(event) => onChange({ ...options, by: event.target.value })}>
              {model.upsertBy!.map((each) => <MenuItem key={each} value={each}>{each.split(",").map(label).join(", ")}</MenuItem>)}
            </TextField>
          )}
        </>
      )}
      <FormControlLabel sx={{ whiteSpace: "nowrap" }} control={<Checkbox checked={options.partial} onChange={(_, partial) => onChange({ ...options, partial })} />} label={translate("studio.transfer.partial")} />
    </Stack>
  );
}

function Progress({ job }: { job: Job | undefined }) {
  const translate = useTranslate();
  const text = job ? translate("studio.transfer.running", { done: job.rows, total: job.total ?? "…" }) : translate("studio.transfer.working");
  return (
    <Box role="status">
      <Typography variant="body2">{text}</Typography>
      <LinearProgress aria-label={text} {...(job?.total ? { variant: "determinate", value: (job.rows / job.total) * 100 } : {})} />
      {job && <Typography variant="body2" color="text.secondary">{translate("studio.transfer.large")}</Typography>}
    </Box>
  );
}

/** What the counts mean: of a check what would be done, and of an import what was. */
function Result({ outcome, isPartial, undo }: { outcome: Outcome; isPartial: boolean; undo: (() => Promise<void>) | undefined }) {
  const translate = useTranslate();
  const { created, updated, ignored, failed } = outcome.meta;
  const counts = translate(outcome.isCheck ? "studio.transfer.forecast" : "studio.transfer.result", { created, updated, ignored, failed });
  const sentences = !outcome.isCheck ? [counts] : failed === 0 ? [translate("studio.transfer.checked"), counts] : isPartial ? [counts] : [counts, translate("studio.transfer.whole")];
  return (
    <Alert severity={failed > 0 ? "warning" : "success"} role="status" action={undo && <Button color="inherit" onClick={() => void undo()}>{translate("studio.changes.undo")}</Button>}>
      {sentences.join(" ")}
    </Alert>
  );
}
