/** A file becomes records: chosen, its columns mapped, checked, and imported. */
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Box, Button, Checkbox, Dialog, DialogActions, DialogContent, DialogTitle, FormControlLabel, LinearProgress, MenuItem, Stack, TextField, Typography } from "@mui/material";
import { type ChangeEvent, type DragEvent, useRef, useState } from "react";
import { useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useUndo } from "../changes/undo";
import { HIDDEN } from "../values/Value";
import { MappingTable } from "./MappingTable";
import { type Job, type Options, type Report, type Sheet, followed, guessed, importSheet, lookupsOf, readSheet, unmapped } from "./importing";

interface Props {
  model: Model;
  onClose: () => void;
  onDone: () => void;
}

export default function ImportDialog({ model, onClose, onDone }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const queries = useQueryClient();
  const resource = nameOf(model);
  const label = (name: string) => translate(`resources.${resource}.fields.${name}`);
  const catalogue = useCatalogue();
  const { changesDays } = catalogue;
  const lookups = lookupsOf(model, catalogue);
  const undo = useUndo();
  const [sheet, setSheet] = useState<Sheet>();
  const [mapping, setMapping] = useState<Record<string, string>>({});
  const [options, setOptions] = useState<Options>({ by: model.upsertBy?.[0] ?? "", resolution: "error", partial: false, dryRun: false });
  const [report, setReport] = useState<Report & { isCheck: boolean }>();
  const [job, setJob] = useState<Job>();
  const [transaction, setTransaction] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);

  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem("");
    await work().catch((error: unknown) => setProblem(sentence(error)));
    setBusy(false);
    setJob(undefined);
  };
  const choose = (file: File | undefined) =>
    file &&
    attempt(async () => {
      const read = await readSheet(file);
      setSheet(read);
      setMapping(guessed(model, read, lookups, label));
      setReport(undefined);
    });
  const run = (dryRun: boolean) =>
    attempt(async () => {
      const answer = await importSheet(model, sheet!, mapping, { ...options, dryRun }, setTransaction);
      if ("status" in answer) setTransaction(answer.id);
      const done = "status" in answer ? await followed(answer, setJob) : answer;
      setReport({ ...done, isCheck: dryRun });
      if (dryRun) return;
      await queries.invalidateQueries({ queryKey: [resource] });
      onDone();
    });
  const missing = sheet ? unmapped(model, mapping, lookups) : [];
  // A file of which nothing was taken can be mapped in another way.
  const isDone = report && !report.isCheck && report.meta.created + report.meta.updated + report.meta.ignored > 0;
  const takeBack = () => attempt(async () => (await undo([transaction])) && (onDone(), onClose()));
  const isUndoable = isDone && !isBusy && changesDays > 0 && report.meta.created + report.meta.updated > 0;
  return (
    <Dialog open onClose={isBusy ? () => undefined : onClose} fullWidth maxWidth="md" aria-labelledby="import-title">
      <DialogTitle id="import-title">{translate("studio.transfer.import_title", { models: translate(`resources.${resource}.name`, { smart_count: 2 }) })}</DialogTitle>
      <DialogContent>
        <Stack spacing={2}>
          {!sheet && <FileChoice onChoose={(file) => void choose(file)} />}
          {sheet && !isDone && (
            <>
              <MappingTable model={model} sheet={sheet} lookups={lookups} mapping={mapping} onChange={(next) => (setMapping(next), setReport(undefined))} />
              {missing.length > 0 && <Alert severity="warning">{translate("studio.transfer.required", { fields: missing.map(({ name }) => label(name)).join(", ") })}</Alert>}
              <Existing model={model} options={options} onChange={(next) => (setOptions(next), setReport(undefined))} label={label} />
            </>
          )}
          {isBusy && <Progress job={job} />}
          {problem && <Alert severity="error">{problem}</Alert>}
          {report && <Result report={report} isPartial={options.partial} label={label} undo={isUndoable ? takeBack : undefined} />}
        </Stack>
      </DialogContent>
      <DialogActions>
        {sheet && <Button disabled={isBusy} onClick={() => (setSheet(undefined), setReport(undefined))}>{translate("studio.transfer.another")}</Button>}
        <Button disabled={isBusy} onClick={onClose}>{translate("studio.transfer.close")}</Button>
        {sheet && !isDone && <Button disabled={isBusy} onClick={() => void run(true)}>{translate("studio.transfer.check")}</Button>}
        {sheet && !isDone && <Button variant="contained" disabled={isBusy} onClick={() => void run(false)}>{translate("studio.transfer.start", { smart_count: sheet.rows.length })}</Button>}
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
      <Box component="input" ref={input} type="file" accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl" tabIndex={-1} aria-hidden onChange={choose} sx={HIDDEN} />
      <Button variant="outlined" onClick={() => input.current?.click()}>{translate("studio.transfer.choose")}</Button>
      <Typography color="text.secondary">{translate("studio.transfer.drop")}</Typography>
    </Stack>
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
  const text = job ? translate("studio.transfer.running", { done: job.rows, total: job.total ?? "…" }) : translate("studio.transfer.checking");
  return (
    <Box role="status">
      <Typography variant="body2">{text}</Typography>
      <LinearProgress aria-label={text} {...(job?.total ? { variant: "determinate", value: (job.rows / job.total) * 100 } : {})} />
      {job && <Typography variant="body2" color="text.secondary">{translate("studio.transfer.large")}</Typography>}
    </Box>
  );
}

/** Faults that are shown; the file has to be mended anyway. */
const SHOWN = 100;

/** What the counts mean: of a check what would be done, and of an import what was. */
function useOutcome({ meta, isCheck }: Report & { isCheck: boolean }, isPartial: boolean): string {
  const translate = useTranslate();
  const { created, updated, ignored, failed } = meta;
  const counts = translate(isCheck ? "studio.transfer.forecast" : "studio.transfer.result", { created, updated, ignored, failed });
  if (!isCheck) return counts;
  if (failed === 0) return `${translate("studio.transfer.checked")} ${counts}`;
  return isPartial ? counts : `${counts} ${translate("studio.transfer.whole")}`;
}

interface ResultProps {
  report: Report & { isCheck: boolean };
  isPartial: boolean;
  label: (name: string) => string;
  undo: (() => Promise<void>) | undefined;
}

function Result({ report, isPartial, label, undo }: ResultProps) {
  const translate = useTranslate();
  const outcome = useOutcome(report, isPartial);
  return (
    <Alert severity={report.meta.failed > 0 ? "warning" : "success"} role="status" action={undo && <Button color="inherit" onClick={() => void undo()}>{translate("studio.changes.undo")}</Button>}>
      {outcome}
      {report.data.length > 0 && (
        <Box component="ul" sx={{ m: 0, pl: 2, maxHeight: 200, overflowY: "auto" }} tabIndex={0} aria-label={translate("studio.transfer.faults")}>
          {report.data.slice(0, SHOWN).map(({ line, error, fields }) => (
            <li key={line}>
              {translate("studio.transfer.row", { row: line })}: {Object.entries(fields ?? {}).map(([name, texts]) => `${label(name)}: ${texts.map((text) => translate(text, { _: text })).join(" ")}`).join(" ") || (error && translate(error, { _: error }))}
            </li>
          ))}
        </Box>
      )}
    </Alert>
  );
}
