/** Notices of what was written, with the way back. */
import { RowgateError } from "@rowgate/client/react-admin";
import { useQueryClient } from "@tanstack/react-query";
import { Button, SnackbarContent } from "@mui/material";
import { useCallback, useRef, useState } from "react";
import { useCloseNotification, useNotify, useTranslate } from "react-admin";

import { Refusal, useSentence } from "../api/sentences";
import { useCatalogue } from "../catalogue/context";
import { type Job, JOBS, isGoing } from "../jobs/job";
import { fillsForm } from "../live/freshness";
import { ask } from "../session/transport";

/** Milliseconds that a notice with a way back stays. */
const STAYS = 10_000;

/** `start` before writes, which `meta` goes along with; `tell` says what they have done, and offers to take them back. */
export function useWrites(isUndoable = true) {
  const translate = useTranslate();
  const notify = useNotify();
  const { changesDays } = useCatalogue();
  const noted = useRef<string[]>([]);
  const [meta] = useState(() => ({ onTransaction: (transaction: string) => void noted.current.push(transaction) }));
  const start = useCallback(() => void noted.current.splice(0), []);
  const tell = useCallback(
    (key: string, words: object = {}, type: "success" | "info" = "success") => {
      const transactions = noted.current.splice(0);
      if (transactions.length === 0 || changesDays === 0 || !isUndoable) return notify(key, { type, messageArgs: words });
      return notify(<Written text={translate(key, words)} type={type} transactions={transactions} />, { type, autoHideDuration: STAYS });
    },
    [changesDays, isUndoable, notify, translate],
  );
  return { meta, start, tell };
}

function Written({ text, type, transactions }: { text: string; type: "success" | "info"; transactions: readonly string[] }) {
  const translate = useTranslate();
  const close = useCloseNotification();
  const undo = useUndo();
  return (
    <SnackbarContent
      message={text} sx={{ bgcolor: `${type}.main`, color: `${type}.contrastText` }}
      action={<Button size="small" color="inherit" onClick={() => (close(), void undo(transactions))}>{translate("studio.changes.undo")}</Button>}
    />
  );
}

interface Undone {
  deleted: number;
  changed: number;
  restored: number;
  kept: readonly unknown[];
}

/** Milliseconds between two looks at a job. */
const LOOKS = 1000;

/** What a job has done, once it has ended. */
export async function ended(begun: Job): Promise<Undone> {
  let job = begun;
  while (isGoing(job)) {
    await new Promise((resolve) => setTimeout(resolve, LOOKS));
    job = await ask<Job>("GET", `${JOBS}/${job.id}`);
  }
  if (job.status === "succeeded") return job.result as Undone;
  throw job.errorMessage ? new RowgateError(409, "CONFLICT", job.errorMessage) : new Refusal("studio.changes.undo_cancelled");
}

/** Takes transactions back, the last one first, says so, and tells whether it was done. */
export function useUndo(): (transactions: readonly string[]) => Promise<boolean> {
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  return async (transactions) => {
    try {
      let [count, kept] = [0, 0];
      for (const transaction of [...transactions].reverse()) {
        const answer = await ask<Undone | Job>("POST", "/api/v1/_undo", { transaction });
        if ("status" in answer) notify("studio.changes.undoing", { type: "info", autoHideDuration: STAYS });
        const done = "status" in answer ? await ended(answer) : answer;
        count += done.deleted + done.changed + done.restored;
        kept += done.kept.length;
      }
      notify(kept > 0 ? "studio.changes.undone_in_part" : count > 0 ? "studio.changes.undone" : "studio.changes.not_undone", { type: kept > 0 ? "warning" : "info" });
      return true;
    } catch (error) {
      notify(sentence(error), { type: "error" });
      return false;
    } finally {
      await queries.invalidateQueries({ predicate: (query) => !fillsForm(query) });
    }
  };
}
