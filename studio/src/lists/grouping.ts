/** Lists in groups: by which fields, in which order, and which rows a group has. */
import { columnsOf, typeOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import type { Condition } from "./conditions";

export const MOST_GROUPS = 100;

/** A group, as `_aggregate` tells it. */
export interface Grouped {
  group: Readonly<Record<string, unknown>>;
  count: number;
  sum?: Readonly<Record<string, number | string | null>>;
}

const TYPES = ["enum", "boolean", "string", "country", "language", "currency", "color", "integer"];

/** The fields that a list can be grouped by: states first, then what records refer to. */
export function groupable(model: Model): readonly Field[] {
  const rank = (field: Field) => (["enum", "boolean"].includes(typeOf(field)) ? 0 : field.references ? 1 : 2);
  return columnsOf(model).filter((field) => field.filterable && !field.unique && field.name !== "id" && TYPES.includes(typeOf(field))).sort((one, other) => rank(one) - rank(other));
}

/** The condition of the rows of a group. */
export const conditionOf = (field: Field, value: unknown): Condition => (value === null || value === undefined ? [field.name, "isNull", true] : [field.name, "eq", value]);

/** States in their own order, and all others as they came; what has none comes last. */
export function inOrder(states: readonly string[], name: string, groups: readonly Grouped[]): readonly Grouped[] {
  const place = ({ group }: Grouped) => (group[name] === null || group[name] === undefined ? Infinity : Math.max(0, states.indexOf(String(group[name]))));
  return [...groups].sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other)));
}
