/** What stands on a dashboard, as its definition has it: figures, charts, texts, and the records of a list. */
import type { Catalogue } from "../catalogue/catalogue";
import { fieldOf, typeOf, valuesOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { type Condition, isCondition } from "../lists/conditions";
import { ZONE } from "../values/formats";

export const CHARTS = ["bar", "line", "area", "ring"] as const;
export const KINDS = ["figure", ...CHARTS, "list", "text"] as const;
export const INTERVALS = ["day", "week", "month", "quarter", "year"] as const;
export const MEASURES = ["count", "sum", "avg", "min", "max"] as const;
export type Kind = (typeof KINDS)[number];
export type Interval = (typeof INTERVALS)[number];
export type Aggregation = (typeof MEASURES)[number];

export interface Panel {
  id: string;
  kind: Kind;
  title: string;
  model: string;
  measure: Aggregation;
  /** The field that is measured, where records are not counted. */
  of: string;
  /** The field by which a chart is divided, and for times the spans. */
  group: string;
  by: Interval;
  conditions: readonly Condition[];
  text: string;
  isWide: boolean;
}

/** One part of a chart. */
export interface Point {
  key: string | null;
  /** None of no records, where they are not counted. */
  value: number | null;
}

export interface Answer {
  points: readonly Point[];
  /** Whether there are more parts than are shown. */
  hasMore: boolean;
}

/** Pixels of a chart, and panels of a dashboard that are shown: each asks the service. */
export const [HEIGHT, MOST_PANELS] = [220, 40];
/** Parts of a chart by time, of one by values, and records of a list. */
const [MOST_TIMES, MOST_PARTS] = [100, 12];
export const MOST_RECORDS = 8;

const usual: Omit<Panel, "id"> = { kind: "figure", title: "", model: "", measure: "count", of: "", group: "", by: "month", conditions: [], text: "", isWide: false };

export const newPanel = (given: Partial<Panel>): Panel => ({ ...usual, id: crypto.randomUUID(), ...given });

const among = <T extends string>(values: readonly T[], value: unknown, other: T): T => (values.includes(value as T) ? (value as T) : other);
const text = (value: unknown) => (typeof value === "string" ? value : "");

/** The panels of a definition, which may be anybody's: what is none is left out. */
export function panelsOf(definition: unknown): readonly Panel[] {
  const { panels } = (definition ?? {}) as { panels?: unknown };
  if (!Array.isArray(panels)) return [];
  return panels.filter((each): each is Record<string, unknown> => typeof each === "object" && each !== null).map((each, place) => {
    return {
      id: text(each.id) || String(place), kind: among(KINDS, each.kind, "text"), title: text(each.title), model: text(each.model), measure: among(MEASURES, each.measure, "count"), of: text(each.of),
      group: text(each.group), by: among(INTERVALS, each.by, "month"), conditions: Array.isArray(each.conditions) ? (each.conditions as Condition[]) : [], text: text(each.text), isWide: each.isWide === true,
    };
  });
}

export const isChart = ({ kind }: Pick<Panel, "kind">) => (CHARTS as readonly string[]).includes(kind);
export const isTime = (field: Field | undefined) => field?.type === "timestamp" || field?.type === "date";

/** Fields whose values are added up. */
export const measured = (model: Model) => model.fields.filter(({ readable, type, virtual }) => readable && !virtual && ["integer", "number", "decimal"].includes(type));

const DIVIDING = ["enum", "boolean", "timestamp", "date", "country", "language", "currency", "string", "color"];

/** Fields by which a chart is divided, states and times first. */
export function dividing(model: Model): readonly Field[] {
  const rank = (field: Field) => ["enum", "timestamp", "date"].indexOf(typeOf(field)) >>> 0;
  return model.fields.filter((field) => field.readable && field.filterable && !field.references && field.name !== "id" && DIVIDING.includes(typeOf(field))).sort((one, other) => rank(one) - rank(other));
}

/** Whether the catalogue of whoever looks has what a panel asks for: of a condition less, it would show something else. */
export function isKnown(catalogue: Catalogue, panel: Panel): boolean {
  const model = catalogue.get(panel.model);
  if (panel.kind === "text") return true;
  if (!model?.operations.list || !panel.conditions.every((each) => isCondition(model, each))) return false;
  const isMeasured = panel.kind === "list" || panel.measure === "count" || measured(model).some(({ name }) => name === panel.of);
  return isMeasured && (!isChart(panel) || dividing(model).some(({ name }) => name === panel.group));
}

/** What `_aggregate` is asked for. */
export function queryOf(model: Model, panel: Panel, where: object | undefined): object {
  const field = fieldOf(model, panel.group);
  const name = panel.measure === "count" ? "count" : `${panel.measure}.${panel.of}`;
  const group = !isChart(panel) || !field ? [] : [field.type === "timestamp" || field.type === "date" ? { field: field.name, by: panel.by } : field.name];
  return {
    ...(where ? { where } : {}), group, timeZone: ZONE,
    measures: panel.measure === "count" ? { count: true } : { [panel.measure]: [panel.of] },
    ...(group.length > 0 ? { sort: [isTime(field) ? `-${field!.name}` : `-${name}`], take: isTime(field) ? MOST_TIMES : MOST_PARTS } : {}),
  };
}

/** What `_aggregate` has answered; times and states come in their order. */
export function answerOf(model: Model, panel: Panel, { data, meta }: { data: readonly Record<string, unknown>[]; meta: { more?: boolean } }): Answer {
  const points = data.map((row) => {
    const key = (row.group as Record<string, unknown> | undefined)?.[panel.group];
    const measure = panel.measure === "count" ? row.count : (row[panel.measure] as Record<string, unknown> | undefined)?.[panel.of];
    const isNone = measure === null || measure === undefined;
    return { key: key === null || key === undefined ? null : String(key), value: isNone ? (panel.measure === "sum" ? 0 : null) : Number(measure) };
  });
  const field = fieldOf(model, panel.group);
  const states = field ? valuesOf(field) : [];
  const inOrder = isTime(field) ? [...points].reverse() : states.length > 0 ? [...points].sort((one, other) => states.indexOf(one.key ?? "") - states.indexOf(other.key ?? "")) : points;
  return { points: inOrder, hasMore: Boolean(meta.more) };
}

/** The days back from now that a page shows, and the condition that makes of it. */
export const PERIODS = [7, 30, 90, 365] as const;

export function since(model: Model, days: number, now = Date.now()): readonly Condition[] {
  if (!days || !fieldOf(model, "createdAt")?.filterable) return [];
  // Full minutes, so that a page that is drawn again asks for nothing new.
  return [["createdAt", "gte", new Date(Math.floor(now / 60_000) * 60_000 - days * 86_400_000).toISOString()]];
}

/** What is told of an empty definition: the panels that everybody has, of what they may read. */
export function usualPanels(catalogue: Catalogue, translate: (key: string) => string): readonly Panel[] {
  const wanted: readonly Partial<Panel>[] = [
    { id: "deals", kind: "bar", model: "crm/deal", measure: "sum", of: "amount", group: "stage" },
    { id: "contacts", kind: "area", model: "crm/contact", group: "createdAt", by: "week" },
    { id: "cost", kind: "line", model: "ai/message", measure: "sum", of: "costMicros", group: "createdAt", by: "day" },
    { id: "keys", kind: "ring", model: "auth/api-key-analytics", group: "outcome" },
  ];
  return wanted.map((each) => newPanel({ ...each, title: translate(`studio.dashboards.usual.${each.id}`) })).filter((panel) => isKnown(catalogue, panel));
}

/** A table of a panel as CSV (RFC 4180). Cells that a spreadsheet would take for formulas are texts. */
export function csvOf(header: readonly [string, string], rows: readonly (readonly [string, number | null])[]): string {
  const cell = (value: string | number | null) => {
    const told = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
    return /[",\n\r]/.test(told) ? `"${told.replaceAll('"', '""')}"` : told;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

