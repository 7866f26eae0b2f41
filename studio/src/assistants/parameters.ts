/** What a tool takes by its JSON Schema, and what a form has of it. */
import { Malformed, jsonFault, parsed } from "../inputs/json";

/** As much of JSON Schema as a form goes by. */
export interface Schema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  items?: Schema;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
}

export type Kind = "text" | "choice" | "integer" | "number" | "switch" | "texts" | "json";

export interface Parameter {
  name: string;
  kind: Kind;
  isRequired: boolean;
  schema: Schema;
}

/** What stands in an input; nothing where nobody has touched it. */
export type Entry = string | boolean | undefined;
export type Entries = Readonly<Record<string, Entry>>;

/** The text that says what is wrong with an entry, and what that is filled with. */
export interface Fault {
  key: string;
  words?: object;
}

const PLAIN: Readonly<Record<string, Kind>> = {
  string: "text", integer: "integer", number: "number", boolean: "switch",
};
const isText = (value: unknown) => typeof value === "string";

export function kindOf({ type, enum: values, items }: Schema): Kind {
  if (values?.length && values.every(isText)) return "choice";
  if (type === "array" && items?.type === "string") return "texts";
  return (typeof type === "string" && PLAIN[type]) || "json";
}

export function parametersOf({ properties = {}, required = [] }: Schema): readonly Parameter[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name, schema, kind: kindOf(schema), isRequired: required.includes(name),
  }));
}

/** What the inputs begin with: what the schema presumes, where it says so. */
export function firstEntries(parameters: readonly Parameter[]): Entries {
  return Object.fromEntries(parameters.map(({ name, kind, schema }) => [name, entryOf(kind, schema.default)]));
}

function entryOf(kind: Kind, value: unknown): Entry {
  if (value === undefined) return undefined;
  if (kind === "switch") return value === true;
  if (kind === "json") return JSON.stringify(value, null, 2);
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** The value that goes out; nothing where none was entered, and a Malformed where it is no JSON. */
export function valueOf({ kind, isRequired }: Parameter, entry: Entry): unknown {
  if (kind === "switch") return entry ?? (isRequired ? false : undefined);
  const text = String(entry ?? "").trim();
  if (text === "") return undefined;
  if (kind === "texts") return text.split(",").map((each) => each.trim()).filter(Boolean);
  if (kind === "integer" || kind === "number") return Number(text);
  return kind === "json" ? parsed(text) : kind === "text" ? entry : text;
}

export function faultOf(parameter: Parameter, entry: Entry): Fault | undefined {
  const { kind, isRequired, schema } = parameter;
  const value = valueOf(parameter, entry);
  if (value === undefined) return isRequired ? { key: "ra.validation.required" } : undefined;
  if (kind === "integer" && !Number.isInteger(value)) return { key: "studio.assistants.no_integer" };
  if (kind === "number" && !Number.isFinite(value)) return { key: "studio.input.no_decimal" };
  if (kind !== "json") return undefined;
  const shape = schema.type === "object" || schema.type === "array" ? schema.type : undefined;
  const key = jsonFault(value, shape);
  return key ? { key, words: value instanceof Malformed ? { message: value.message } : {} } : undefined;
}

/** What the tool is called with: the entries that somebody made. */
export function argumentsOf(parameters: readonly Parameter[], entries: Entries): Record<string, unknown> {
  const given = parameters.map((each) => [each.name, valueOf(each, entries[each.name])] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
