/** A list that is worked in with keys, copied from, pasted into and filled down, as a spreadsheet is. */
import { useQueryClient } from "@tanstack/react-query";
import type { Row } from "@rowgate/client/react-admin";
import { type ClipboardEvent, type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from "react";
import { useLocale, useNotify, useTranslate } from "react-admin";

import { pathOf } from "../api/provider";
import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { ask } from "../session/transport";
import { type Changes, type Range, boundsOf, cellId, changesOf, filledDown, moved, textOf } from "./grid";

const START: Range = { anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } };

interface Sight {
  page: number;
  reveal: (row: number) => void;
}

/** Whether it is the cells that are copied or pasted into, not a form of one of them. */
const isOfCells = ({ currentTarget, target }: ClipboardEvent<HTMLElement>) => currentTarget.contains(target as Node) && !(target as HTMLElement).closest("input, textarea");

export function useGrid(model: Model, fields: readonly Field[], rows: readonly Row[], { page, reveal }: Sight) {
  const translate = useTranslate();
  const locale = useLocale();
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  const id = useId();
  const { meta, start, tell } = useWrites(model.undoable);
  const [range, setRange] = useState<Range>();
  const [isBusy, setBusy] = useState(false);
  const isDrawing = useRef(false);
  const resource = nameOf(model);
  const words = { field: (name: string) => translate(`resources.${resource}.fields.${name}`), value: (name: string, value: string) => translate(`value.${name}.${value}`) };
  const isGone = range !== undefined && (range.head.row >= rows.length || range.head.column >= fields.length || range.anchor.row >= rows.length || range.anchor.column >= fields.length);
  const chosen = isGone ? undefined : range;
  const headId = chosen && cellId(id, chosen.head);
  useEffect(() => {
    if (headId === undefined) return undefined;
    // Its row may be drawn a frame later.
    const frame = requestAnimationFrame(() => document.getElementById(headId)?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, [headId]);

  const write = async (make: () => Changes) => {
    if (isBusy) return;
    setBusy(true);
    start();
    try {
      const changes = make();
      const body = [...changes].map(([place, values]) => ({ ...values, id: rows[place]!.id, ...(rows[place]!._version === undefined ? {} : { ifMatch: `"${rows[place]!._version}"` }) }));
      if (body.length === 0) return;
      await ask("PUT", pathOf(resource), body, undefined, meta.onTransaction);
      tell("studio.grid.written", { smart_count: body.length });
    } catch (error) {
      notify(sentence(error), { type: "error" });
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: [resource] });
    }
  };
  const paste = async (text: string) => {
    if (!chosen || text === "") return;
    const { default: Papa } = await import("papaparse");
    const block = Papa.parse<string[]>(text.replace(/\r?\n$/, ""), { delimiter: "\t" }).data;
    await write(() => changesOf(model, fields, rows.length, chosen, block, locale, words));
  };
  const copied = () => {
    const { top, bottom, left, right } = boundsOf(chosen!);
    const quoted = (text: string) => (/[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return rows.slice(top, bottom + 1).map((row) => fields.slice(left, right + 1).map((field) => quoted(textOf(field, row[field.name]))).join("\t")).join("\n");
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || rows.length === 0 || event.altKey) return;
    const isFar = event.ctrlKey || event.metaKey;
    const next = chosen ? moved(chosen, event.key, event.shiftKey, isFar, { rows: rows.length, columns: fields.length, page }) : /^(Arrow|Home|End|Page)/.test(event.key) ? START : undefined;
    if (next) {
      setRange(next);
      reveal(next.head.row);
    } else if (chosen && (event.key === "Enter" || event.key === "F2")) {
      const cell = document.getElementById(headId!);
      (cell?.querySelector<HTMLElement>(".edit") ?? cell?.querySelector<HTMLElement>("a"))?.click();
    } else if (chosen && isFar && event.key.toLowerCase() === "d") {
      void write(() => filledDown(model, fields, rows, chosen, words));
    } else if (chosen && event.key === "Escape") {
      setRange(undefined);
    } else return;
    event.preventDefault();
  };
  const point = (event: MouseEvent<HTMLElement>, isExtending: boolean) => {
    const target = event.target as HTMLElement;
    const cell = target.closest<HTMLElement>("[data-row]");
    isDrawing.current = event.buttons === 1 && cell !== null && (isDrawing.current || !target.closest("a, button, input"));
    if (!cell || !isDrawing.current) return;
    const head = { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
    setRange(isExtending && chosen ? { anchor: chosen.anchor, head } : { anchor: head, head });
  };
  return {
    id, isBusy, headId,
    chosen: chosen && boundsOf(chosen),
    head: chosen?.head,
    on: {
      onKeyDown: press,
      onMouseDown: (event: MouseEvent<HTMLElement>) => ((isDrawing.current = false), point(event, event.shiftKey)),
      onMouseOver: (event: MouseEvent<HTMLElement>) => isDrawing.current && point(event, true),
      onCopy: (event: ClipboardEvent<HTMLElement>) => chosen && isOfCells(event) && (event.clipboardData.setData("text/plain", copied()), event.preventDefault()),
      onPaste: (event: ClipboardEvent<HTMLElement>) => chosen && isOfCells(event) && (event.preventDefault(), void paste(event.clipboardData.getData("text/plain"))),
    },
  };
}
