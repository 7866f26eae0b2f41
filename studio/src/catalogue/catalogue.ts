/** The models of the service as this caller may use them, by their qualified name, such as `crm/deal`. */
import type { CatalogueAnswer, Domain, Field, Model, Relation } from "./types";

/** Rows that say who and when, in every model. */
const STAMPS = ["id", "createdAt", "updatedAt"];

export class Catalogue {
  readonly domains: readonly Domain[];
  readonly currency: string;
  /** Bytes that an uploaded file may have; buckets have bounds besides. */
  readonly uploadMaxBytes: number;
  /** How long changes are kept; 0 for not at all. */
  readonly changesDays: number;
  readonly models: ReadonlyMap<string, Model>;

  constructor(answer: CatalogueAnswer) {
    this.domains = answer.domains;
    this.currency = answer.currency;
    this.uploadMaxBytes = answer.uploadMaxBytes;
    this.changesDays = answer.changesDays;
    this.models = new Map(answer.domains.flatMap(({ models }) => models.map((model) => [nameOf(model), model] as const)));
  }

  /** The model of that name; undefined where the caller may not read it. */
  get(name: string): Model | undefined {
    return this.models.get(name);
  }

  /** The relation to one record that a reference makes. */
  relationOf(model: Model, field: Field): Relation | undefined {
    return model.relations.find(({ many, reference }) => !many && reference === field.name);
  }

  /** The models whose records can be listed. */
  get listed(): readonly Model[] {
    return [...this.models.values()].filter(({ operations }) => operations.list);
  }

  /** The relations to many records, with the model that refers, where that can be listed. */
  related(model: Model): readonly (Relation & { target: Model })[] {
    return model.relations.flatMap((relation) => {
      const target = relation.many ? this.get(relation.model) : undefined;
      return target?.operations.list ? [{ ...relation, target }] : [];
    });
  }
}

export const nameOf = ({ domain, name }: Pick<Model, "domain" | "name">) => `${domain}/${name}`;

export function fieldOf(model: Model, name: string): Field | undefined {
  return model.fields.find((field) => field.name === name);
}

/** The values of an enumeration; none for other types. */
export function valuesOf({ type }: Field): readonly string[] {
  return type.startsWith("enum[") ? type.slice(5, -1).split(",") : [];
}

/** What a field holds: the type without the values of an enumeration. */
export function typeOf({ type }: Field): string {
  return type.startsWith("enum[") ? "enum" : type;
}

/** Whether a field holds a file that goes with its record. */
export function isFile({ type }: Field): boolean {
  return type === "file" || type === "image";
}

/** The fields that a table can show. */
export function columnsOf(model: Model): readonly Field[] {
  return model.fields.filter(({ readable, listed, returnedOnce }) => readable && listed && !returnedOnce);
}

/** The columns that are shown until somebody chooses others: what names the record, then the telling ones. */
export function usualColumns(model: Model): readonly string[] {
  const shown = columnsOf(model).filter((field) => !STAMPS.includes(field.name) && !["json", "text", "vector"].includes(field.type));
  const label = model.label ?? [];
  const weight = (field: Field) =>
    label.includes(field.name) ? 0
    : field.name === model.scope.column || field.name === "createdById" ? 9
    : typeOf(field) === "enum" ? 1
    : field.display === "money" ? 1
    : field.type === "timestamp" && field.sortable && field.settable.length > 0 ? 1.5
    : field.type === "image" ? 1.2
    : field.type === "file" ? 6
    : field.references ? 2
    : field.sortable || field.filterable ? 3
    : 6;
  const ranked = shown.map((field, place) => ({ field, rank: weight(field) * 100 + place })).sort((a, b) => a.rank - b.rank);
  return [...ranked.slice(0, 7).map(({ field }) => field.name), "createdAt"];
}

/** The name of a record for people; undefined where it has none. */
export function labelOf(model: Model, record: Readonly<Record<string, unknown>>): string | undefined {
  const parts = (model.label ?? []).map((name) => record[name]).filter((part) => typeof part === "string" && part.trim() !== "");
  return parts.length > 0 ? parts.join(" ") : undefined;
}

/** The last characters of an id: the first are a time that neighbours share. */
export const shortId = (id: string) => id.slice(-8);

/** Where a value may go from another; every value where the model says nothing, or of what is stored. */
export function movesFrom(model: Model, field: Field, value: unknown): readonly string[] {
  const states = model.transitions?.[field.name];
  if (!states || typeof value !== "string") return valuesOf(field);
  return [value, ...(states[value] ?? [])];
}

export const isSettable = (field: Field, on: "create" | "update") => field.settable.includes(on);

/** The names of the fields that a form has. */
export const settableOf = (model: Model, on: "create" | "update") => model.fields.filter((field) => isSettable(field, on)).map(({ name }) => name);
