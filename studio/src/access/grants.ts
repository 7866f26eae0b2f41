/** Grants as the service takes them, and what an editor makes of them. */
import { RowgateError, fieldErrors } from "@rowgate/client/react-admin";

import { type Catalogue, nameOf } from "../catalogue/catalogue";
import type { Field, Model, Operator } from "../catalogue/types";
import { type Condition, isCondition } from "../lists/conditions";

export interface Grant {
  models: readonly string[];
  operations?: readonly string[];
  /** Without them, all. */
  fields?: readonly string[] | null;
  /** A condition of queries. */
  where?: Readonly<Record<string, unknown>> | null;
}

/** A list of grants; null for none, which narrows nothing. */
export type Access = readonly Grant[] | null;

export const OPERATIONS = ["list", "read", "create", "update", "delete", "export", "import"] as const;

/** What a grant opens that says nothing of it. */
const USUAL: readonly string[] = ["list", "read"];
export const MOST_GRANTS = 50;
const EVERYTHING = "*";
/** Accounts and organizations, which a star leaves out. */
const APART = "auth";

export const NEW: Grant = { models: [], operations: USUAL };

export const operationsOf = ({ operations }: Grant) => operations ?? USUAL;

/** What a grant may name: everything, whole domains, and models. */
export function choicesOf({ domains }: Catalogue): readonly string[] {
  return [EVERYTHING, ...domains.flatMap(({ name, models }) => [`${name}/*`, ...models.map(nameOf)])];
}

/** The models that a grant is about, of those that the caller knows. */
export function modelsOf({ models }: Grant, catalogue: Catalogue): readonly Model[] {
  const isNamed = (model: Model) =>
    models.some((name) => name === nameOf(model) || name === `${model.domain}/*` || (name === EVERYTHING && model.domain !== APART));
  return [...catalogue.models.values()].filter(isNamed);
}

const kindOf = ({ type, references, operators = [] }: Field) => JSON.stringify([type, references?.model, [...operators].sort()]);

/** A model of what all of the models have: a grant names fields that each of its models has. */
export function commonOf(models: readonly Model[]): Model | undefined {
  const [first, ...others] = models;
  if (!first || others.length === 0) return first;
  const known = others.map(({ fields }) => new Map(fields.map((field) => [field.name, field])));
  const fields = first.fields.flatMap((field) => {
    const alike = known.map((each) => each.get(field.name));
    if (alike.some((each) => each === undefined)) return [];
    // What they compare in different ways is shown or not, and in no condition.
    return alike.every((each) => kindOf(each!) === kindOf(field)) ? [field] : [{ ...field, filterable: false }];
  });
  return { ...first, fields };
}

/** The fields that a grant may name, of such a model. */
export const namable = (model: Model) => model.fields.filter(({ readable, settable }) => readable || settable.length > 0);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A condition as the pickers have it; undefined where it says more than they do: along relations, or one of several. */
export function conditionsOf(model: Model, where: Grant["where"]): readonly Condition[] | undefined {
  const found: Condition[] = [];
  for (const [name, given] of Object.entries(where ?? {})) {
    if (name === "and" && Array.isArray(given)) {
      for (const part of given as unknown[]) {
        const inner = isObject(part) ? conditionsOf(model, part) : undefined;
        if (!inner) return undefined;
        found.push(...inner);
      }
      continue;
    }
    const compared = isObject(given) ? given : given === null ? { isNull: true } : { eq: given };
    const made = Object.entries(compared).map(([operator, value]) => [name, operator as Operator, value] as const);
    if (made.length === 0 || !made.every((each) => isCondition(model, each))) return undefined;
    found.push(...made);
  }
  return found;
}

/** Conditions as a grant has them: by field, or joined by `and` where one field is compared in the same way again. */
export function whereOf(conditions: readonly Condition[]): Record<string, unknown> | undefined {
  if (conditions.length === 0) return undefined;
  const where: Record<string, Record<string, unknown>> = {};
  for (const [name, operator, value] of conditions) {
    const compared = (where[name] ??= {});
    if (operator in compared) return { and: conditions.map(([field, by, operand]) => ({ [field]: { [by]: operand } })) };
    compared[operator] = value;
  }
  return where;
}

export type Change = { [Part in keyof Grant]?: Grant[Part] | undefined };

/** A grant with other parts; what is undefined is left out. */
export function changed(grant: Grant, change: Change): Grant {
  return Object.fromEntries(Object.entries({ ...grant, ...change }).filter(([, value]) => value !== undefined)) as unknown as Grant;
}

const sorted = (_: string, value: unknown) => (isObject(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value);

/** Whether two lists say the same: the service keeps no order of members. */
export const isSame = (one: Access, other: Access) => JSON.stringify(one, sorted) === JSON.stringify(other, sorted);

/** What is wrong with a grant, by its parts; `whole` is what is of no part. */
export type GrantFaults = Partial<Record<"models" | "operations" | "fields" | "where" | "whole", string>>;

const PLACE = /^access\[(\d+)\](?:\.(models|operations|fields|where))?/;

/** What the service says against one grant, out of `access[0].where.stage` and the like. */
export function faultsOfGrant(faults: Readonly<Record<string, string>>, place: number): GrantFaults {
  const found: GrantFaults = {};
  for (const [name, said] of Object.entries(faults)) {
    const [, number, part = "whole"] = PLACE.exec(name) ?? [];
    if (number !== String(place)) continue;
    const at = part as keyof GrantFaults;
    found[at] = found[at] === undefined ? said : `${found[at]} ${said}`;
  }
  return found;
}

/** What the service says against a list of grants, by place. */
export function faultsOfAccess(error: unknown): Record<string, string> {
  const faults = error instanceof RowgateError ? fieldErrors(error) : {};
  return Object.fromEntries(Object.entries(faults).filter(([name]) => name === "access" || name.startsWith("access[")));
}

/** The address of the list that shows what a list of grants does: where one of them alone opens it, by conditions that a list can have. */
export function previewOf(access: Access, name: string, catalogue: Catalogue): string | undefined {
  const model = catalogue.get(name);
  if (!model?.operations.list) return undefined;
  if (access === null) return `/${name}`;
  const opening = access.filter((grant) => operationsOf(grant).includes("list") && modelsOf(grant, catalogue).includes(model));
  const conditions = opening.length === 1 ? conditionsOf(model, opening[0]!.where) : undefined;
  return conditions && `/${name}${conditions.length > 0 ? `?filter=${encodeURIComponent(JSON.stringify(conditions))}` : ""}`;
}
