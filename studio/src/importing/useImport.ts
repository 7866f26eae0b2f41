/** What a person does with a file: choose it, say what its columns are, check it, mend it, and import it. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocale, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useUndo } from "../changes/undo";
import type { Encoding } from "./encodings";
import { type Column, type Mapping, columnOf, guessed, lookupsOf, remember, remembered, unmapped } from "./mapping";
import { type Fault, type Job, type Options, type Report, faultsOf, followed, importSheet } from "./sending";
import { type Sheet, readSheet } from "./sheets";

export interface Outcome {
  meta: Report["meta"];
  faults: readonly Fault[];
  isCheck: boolean;
}

export function useImport(model: Model, onDone: () => void) {
  const resource = nameOf(model);
  const translate = useTranslate();
  const locale = useLocale();
  const sentence = useSentence();
  const queries = useQueryClient();
  const catalogue = useCatalogue();
  const person = usePerson().id;
  const undo = useUndo();
  const [file, setFile] = useState<File>();
  const [sheet, setSheet] = useState<Sheet>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [options, setOptions] = useState<Options>({ by: model.upsertBy?.[0] ?? "", resolution: "error", partial: false, dryRun: false });
  const [outcome, setOutcome] = useState<Outcome>();
  const [job, setJob] = useState<Job>();
  const [transaction, setTransaction] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const label = (name: string) => translate(`resources.${resource}.fields.${name}`);
  const lookups = lookupsOf(model, catalogue);
  const taken = outcome && !outcome.isCheck ? outcome.meta.created + outcome.meta.updated + outcome.meta.ignored : 0;
  // Rows that were refused stay, to be mended and imported as well.
  const isDone = taken > 0 && outcome!.faults.length === 0;
  const isUndoable = taken > 0 && !isBusy && catalogue.changesDays > 0 && outcome!.meta.created + outcome!.meta.updated > 0;

  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem("");
    await work().catch((error: unknown) => setProblem(sentence(error)));
    setBusy(false);
    setJob(undefined);
  };
  const read = (from: File | undefined, encoding?: Encoding) =>
    from &&
    attempt(async () => {
      const found = await readSheet(from, encoding);
      const names = guessed(model, found, lookups, label);
      setFile(from);
      setSheet(found);
      setMapping(remembered(person, model, found.columns, lookups) ?? Object.fromEntries(found.columns.map((column) => [column, columnOf(model, found, column, names[column]!, locale)])));
      setOutcome(undefined);
    });
  const run = (dryRun: boolean) =>
    attempt(async () => {
      const answer = await importSheet(model, sheet!, mapping, { ...options, dryRun }, setTransaction);
      if ("status" in answer) setTransaction(answer.id);
      const report = "status" in answer ? await followed(answer, setJob) : answer;
      const faults = faultsOf(report, model, sheet!, mapping);
      remember(person, model, sheet!.columns, mapping);
      if (dryRun) return setOutcome({ meta: report.meta, faults, isCheck: true });
      const { created, updated, ignored, failed } = report.meta;
      const areTold = created + updated + ignored > 0 && faults.length === failed;
      if (areTold) setSheet({ ...sheet!, rows: faults.map(({ row }) => sheet!.rows[row]!) });
      setOutcome({ meta: report.meta, faults: areTold ? faults.map((fault, row) => ({ ...fault, row })) : faults, isCheck: false });
      await queries.invalidateQueries({ queryKey: [resource] });
      onDone();
    });

  return {
    sheet, mapping, options, outcome, job, problem, isBusy, isDone, label, lookups,
    missing: sheet ? unmapped(model, mapping, lookups) : [],
    read,
    readAs: (encoding: Encoding) => read(file, encoding),
    forget: () => (setSheet(undefined), setOutcome(undefined)),
    check: () => run(true),
    start: () => run(false),
    choose: (next: Options) => (setOptions(next), setOutcome(undefined)),
    become: (column: string, field: string) => (setMapping({ ...mapping, [column]: columnOf(model, sheet!, column, field, locale) }), setOutcome(undefined)),
    write: (column: string, writing: Column["writing"]) => (setMapping({ ...mapping, [column]: { ...mapping[column]!, writing: writing! } }), setOutcome(undefined)),
    mend: (row: number, column: string, value: unknown) => setSheet({ ...sheet!, rows: sheet!.rows.map((cells, at) => (at === row ? { ...cells, [column]: value } : cells)) }),
    leaveOut(row: number) {
      setSheet({ ...sheet!, rows: sheet!.rows.filter((_, at) => at !== row) });
      setOutcome({ ...outcome!, faults: outcome!.faults.filter((fault) => fault.row !== row).map((fault) => (fault.row > row ? { ...fault, row: fault.row - 1 } : fault)) });
    },
    takeBack: isUndoable ? (onClose: () => void) => attempt(async () => (await undo([transaction])) && (onDone(), onClose())) : undefined,
  };
}
