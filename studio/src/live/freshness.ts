/** Keeps what is shown true: it is read again once it has changed, but for what somebody is editing. */
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { nameOf } from "../catalogue/catalogue";
import type { Catalogue } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import { useNews } from "./heard";

/** Milliseconds in which news are gathered, and between two readings. */
const GATHERED = 100;
const PAUSE = 1000;
/** Pages of a list that are read again by themselves; of a longer one it is said that there is something new. */
export const MOST_PAGES = 3;
/** Pages that tell of all models. */
const OF_ALL = ["changes", "shared"];

/** As much of a query as says what it has read. */
interface Read {
  state: { data?: unknown };
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let holds = 0;
const held = new Set<() => void>();

/** Have nothing read again as long as the component is shown, which edits something of a list. */
export function useHold(): void {
  useEffect(() => {
    holds += 1;
    return () => {
      holds -= 1;
      if (holds > 0) return;
      for (const go of held) go();
      held.clear();
    };
  }, []);
}

/** Whether a query is read again as somebody comes back to the page: none while something of a list is edited, and no long list. */
export const isReadOnReturn = (query: Read) => holds === 0 && !isLong(query);

const unheld = () => (holds === 0 ? Promise.resolve() : new Promise<void>((resolve) => held.add(resolve)));

/** Have what is shown of models read again as they change. */
export function useFreshness(): void {
  const queries = useQueryClient();
  const catalogue = useCatalogue();
  const reader = useMemo(() => new Reader(queries, catalogue), [queries, catalogue]);
  useNews(({ models }) => reader.take(models), () => reader.take(null));
}

class Reader {
  private changed: Set<string> | "all" = new Set();
  private isReading = false;

  constructor(private readonly queries: QueryClient, private readonly catalogue: Catalogue) {}

  take(models: readonly string[] | null): void {
    if (models === null) this.changed = "all";
    else if (this.changed !== "all") for (const model of models) this.changed.add(model);
    if (!this.isReading) void this.read();
  }

  private async read(): Promise<void> {
    this.isReading = true;
    while (this.changed === "all" || this.changed.size > 0) {
      await pause(GATHERED);
      await unheld();
      const changed = this.changed;
      this.changed = new Set();
      const names = changed === "all" ? this.catalogue.models : reached(this.catalogue, changed);
      // What a hidden tab has is old from now on, and read when somebody looks at it.
      const refetchType = document.visibilityState === "visible" ? "active" : "none";
      await this.queries.invalidateQueries({ predicate: (query) => isReadAgain(query, names), refetchType });
      await pause(PAUSE);
    }
    this.isReading = false;
  }
}

/** The models that changed, and those that show something of them beside a reference. */
function reached(catalogue: Catalogue, changed: ReadonlySet<string>): ReadonlySet<string> {
  const referring = [...catalogue.models.values()].filter(({ relations }) => relations.some(({ many, model }) => !many && changed.has(model)));
  return new Set([...changed, ...referring.map(nameOf)]);
}

/** Whether a query asks for what has changed. */
function isReadAgain(query: Query, names: Pick<ReadonlySet<string>, "has">): boolean {
  const resource = String(query.queryKey[0]);
  return (names.has(resource) || OF_ALL.includes(resource)) && !fillsForm(query) && !isLong(query);
}

/** Whether a query fills a form: its page alone reads that again, and says that it has changed. */
export function fillsForm({ observers }: Query): boolean {
  return observers.some(({ options }) => options.refetchOnWindowFocus === false);
}

function isLong({ state }: Read): boolean {
  return ((state.data as { pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0) > MOST_PAGES;
}
