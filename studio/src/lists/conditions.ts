/** The conditions of a list as people add them, and as the service takes them. */
import { fieldOf, typeOf } from "../catalogue/catalogue";
import type { Field, Model, Operator } from "../catalogue/types";

/** A field, how it is compared, and with what. */
export type Condition = readonly [field: string, operator: Operator, value: unknown];

const MANY: readonly Operator[] = ["in", "nin", "hasAny", "hasAll"];
export const takesMany = (operator: Operator) => MANY.includes(operator);

/** Whom `is` names: whoever asks. */
export const ME = "me";

/** Types that come before and after each other. */
const OF_TIME: readonly string[] = ["timestamp", "date", "time"];

/** The operators that make sense to people, the usual one first. */
export function operatorsOf(field: Field): readonly Operator[] {
  const known = field.operators ?? [];
  const wanted: readonly Operator[] =
    field.references ? ["eq", "is", "ne", "isNull"]
    : field.type === "boolean" ? ["eq"]
    : typeOf(field) === "enum" ? ["in", "nin", "isNull"]
    : OF_TIME.includes(field.type) ? ["gte", "lt", "gt", "lte", ...(field.type === "timestamp" ? [] : (["eq"] as const)), "isNull"]
    : ["country", "language", "currency", "color"].includes(field.type) ? ["eq", "ne", "isNull"]
    : ["ip", "network"].includes(field.type) ? ["within", "eq", "ne", "in", "isNull"]
    : field.type === "point" ? ["near", "isNull"]
    : ["decimal", "money", "duration"].includes(field.type) ? ["gte", "lte", "eq", "ne", "gt", "lt", "isNull"]
    : ["integer", "number"].includes(field.type) ? ["gte", "lte", "eq", "ne", "gt", "lt", "in", "isNull"]
    : field.type === "array<string>" ? ["has", "hasAny", "hasAll", "isNull"]
    : ["contains", "startsWith", "endsWith", "eq", "ne", "in", "nin", "gte", "lte", "isNull"];
  return wanted.filter((operator) => known.includes(operator) && (operator !== "isNull" || field.nullable));
}

/** What an operator is called: order is told of moments by time. */
export function operatorKey(field: Field, operator: Operator, value?: unknown): string {
  if (operator === "isNull" && value === false) return "studio.operators.notNull";
  const ofTime: Partial<Record<Operator, string>> = { gt: "after", gte: "since", lt: "before", lte: "until" };
  return `studio.operators.${(OF_TIME.includes(field.type) && ofTime[operator]) || operator}`;
}

export function isCondition(model: Model, given: unknown): given is Condition {
  if (!Array.isArray(given) || given.length !== 3) return false;
  return Boolean(fieldOf(model, String(given[0]))?.operators?.includes(given[1] as Operator));
}

/** The `where` of a list. */
export function whereOf(conditions: readonly Condition[]): object | undefined {
  if (conditions.length === 0) return undefined;
  return { and: conditions.map(([field, operator, value]) => ({ [field]: { [operator]: value } })) };
}
