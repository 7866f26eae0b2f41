/** What a list shows and how: in the address where it is a page, and kept for the next visit. */
import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "react-router-dom";

import { columnsOf, fieldOf, nameOf, usualColumns } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { type Condition, isCondition } from "./conditions";
import { groupable } from "./grouping";

export const DENSITIES = { compact: 24, normal: 34, roomy: 48 } as const;
export type Density = keyof typeof DENSITIES;
export type Mode = "scroll" | "pages";
export const PAGE_SIZES = [25, 50, 100, 250];

/** What somebody chooses once for a model. */
export interface Look {
  columns: readonly string[];
  widths: Readonly<Record<string, number>>;
  /** The columns that are summed up beneath. */
  totals: readonly string[];
  /** The field by which rows are grouped; empty where they are not. */
  group: string;
  density: Density;
  mode: Mode;
  perPage: number;
}

export interface ListState extends Look {
  q: string;
  /** Whether what is searched for ranks the records, by its meaning as well, and nothing else does. */
  byMeaning: boolean;
  conditions: readonly Condition[];
  /** Keys of order, descending with a minus. */
  sort: readonly string[];
  page: number;
  view: string;
  /** Whether the records of all organizations are shown, not of the one that is acted in alone. */
  isEverywhere: boolean;
}

const LOOK = "rowgate.look:";

function keptLook(model: Model): Partial<Look> {
  try {
    return JSON.parse(localStorage.getItem(LOOK + nameOf(model)) ?? "{}") as Partial<Look>;
  } catch {
    return {};
  }
}

export function usualLook(model: Model): Look {
  return { columns: usualColumns(model), widths: {}, totals: [], group: "", density: "normal", mode: "scroll", perPage: 50 };
}

function known(model: Model, names: readonly string[]): readonly string[] {
  const shown = new Set(columnsOf(model).map(({ name }) => name));
  return names.filter((name) => shown.has(name));
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

const split = (text: string | null) => (text ? text.split(",") : []);

export function read(model: Model, search: URLSearchParams): ListState {
  const look = { ...usualLook(model), ...keptLook(model) };
  const columns = known(model, search.has("columns") ? split(search.get("columns")) : look.columns);
  const widths = parsed(search.get("widths")) as Record<string, number> | null;
  const conditions = parsed(search.get("filter"));
  const density = search.get("density") ?? look.density;
  const isSortable = (key: string) => fieldOf(model, key.replace(/^-/, ""))?.sortable;
  return {
    columns: columns.length > 0 ? columns : usualColumns(model),
    widths: widths ?? look.widths,
    totals: known(model, search.has("totals") ? split(search.get("totals")) : look.totals),
    group: groupable(model).find(({ name }) => name === (search.get("group") ?? look.group))?.name ?? "",
    density: density in DENSITIES ? (density as Density) : "normal",
    mode: (search.get("mode") ?? look.mode) === "pages" ? "pages" : "scroll",
    perPage: PAGE_SIZES.find((size) => size === Number(search.get("perPage") ?? look.perPage)) ?? 50,
    q: search.get("q") ?? "",
    byMeaning: Boolean(model.semantic) && search.get("meaning") === "true",
    conditions: Array.isArray(conditions) ? conditions.filter((each): each is Condition => isCondition(model, each)) : [],
    sort: split(search.get("sort")).filter(isSortable),
    page: Math.max(1, Math.trunc(Number(search.get("page")) || 1)),
    view: search.get("view") ?? "",
    isEverywhere: search.get("everywhere") === "true",
  };
}

/** The state as the parameters of the address: what is usual is left out. */
export function written(model: Model, state: ListState): URLSearchParams {
  const usual = { ...usualLook(model), ...keptLook(model) };
  const search = new URLSearchParams();
  const set = (name: string, value: string, isUsual: boolean) => isUsual || search.set(name, value);
  set("view", state.view, state.view === "");
  set("q", state.q, state.q === "");
  set("meaning", "true", !state.byMeaning);
  set("filter", JSON.stringify(state.conditions), state.conditions.length === 0);
  set("sort", state.sort.join(","), state.sort.length === 0);
  set("columns", state.columns.join(","), state.columns.join() === usual.columns.join());
  set("widths", JSON.stringify(state.widths), JSON.stringify(state.widths) === JSON.stringify(usual.widths));
  set("totals", state.totals.join(","), state.totals.join() === usual.totals.join());
  for (const name of ["group", "density", "mode", "perPage"] as const) set(name, String(state[name]), state[name] === usual[name]);
  set("everywhere", "true", !state.isEverywhere);
  set("page", String(state.page), state.page === 1);
  return search;
}

export type Change = (change: Partial<ListState>) => void;

const OF_LOOK = ["columns", "widths", "totals", "group", "density", "mode", "perPage"] as const;

/** Keep what was chosen of the look for the next visit; gives whether that is anything. */
function keepLook(model: Model, change: Partial<ListState>): boolean {
  const chosen = Object.fromEntries(OF_LOOK.filter((name) => name in change).map((name) => [name, change[name]]));
  if (Object.keys(chosen).length === 0) return false;
  localStorage.setItem(LOOK + nameOf(model), JSON.stringify({ ...keptLook(model), ...chosen }));
  return true;
}

/** What is shown begins anew on the first page. */
export const restarted = (change: Partial<ListState>) =>
  "page" in change || !["q", "byMeaning", "conditions", "sort", "perPage", "isEverywhere"].some((name) => name in change) ? change : { page: 1, ...change };

/** The state of a list that is a page: the address bar holds it. */
export function useAddress(model: Model): [ListState, Change] {
  const [search, setSearch] = useSearchParams();
  const text = search.toString();
  // What is kept is read again once it changes, though the address says the same.
  const [kept, setKept] = useState(0);
  const state = useMemo(() => read(model, new URLSearchParams(text)), [model, text, kept]);
  const change = useCallback<Change>(
    (given) => {
      if (state.view === "" && keepLook(model, given)) setKept((before) => before + 1);
      setSearch(written(model, { ...state, ...restarted(given) }), { replace: "widths" in given || "q" in given });
    },
    [model, setSearch, state],
  );
  return [state, change];
}

/** The state of a list inside of another page. */
export function useLocal(model: Model): [ListState, Change] {
  const [state, setState] = useState(() => read(model, new URLSearchParams()));
  const change = useCallback<Change>((given) => (keepLook(model, given), setState((before) => ({ ...before, ...restarted(given) }))), [model]);
  return [state, change];
}
