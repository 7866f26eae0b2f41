/** What `/api/v1/_catalogue` tells: marks that are not there are false. */

export type Operator =
  | "eq" | "ne" | "is" | "in" | "nin" | "isNull" | "gt" | "gte" | "lt" | "lte"
  | "contains" | "startsWith" | "endsWith" | "has" | "hasAny" | "hasAll" | "within" | "near";

export type Display = "money" | "micros" | "percent" | "bytes" | "milliseconds" | "file";

export interface Constraints {
  minLength?: number;
  maxLength?: number;
  /** Texts where the values are: of decimals, amounts and durations. */
  minimum?: number | string;
  maximum?: number | string;
  precision?: number;
  scale?: number;
  pattern?: string;
  format?: "uuid" | "email" | "url";
  items?: readonly string[];
  minItems?: number;
  maxItems?: number;
  itemMaxLength?: number;
  maxBytes?: number;
  /** Media types of files, and the longer sides in pixels that pictures are there in. */
  types?: readonly string[];
  sizes?: readonly number[];
  shape?: "object" | "array";
}

export interface Field {
  name: string;
  type: string;
  required?: boolean;
  nullable?: boolean;
  unique?: boolean;
  filterable?: boolean;
  sortable?: boolean;
  listed?: boolean;
  virtual?: boolean;
  readable?: boolean;
  settable: readonly ("create" | "update")[];
  operators?: readonly Operator[];
  default?: unknown;
  constraints?: Constraints;
  references?: { model: string; onDelete: string };
  display?: Display;
  returnedOnce?: boolean;
  note?: string;
}

export interface Relation {
  name: string;
  model: string;
  many?: boolean;
  reference: string;
}

export type Operation = "list" | "read" | "create" | "update" | "delete" | "export" | "import";

export interface Model {
  name: string;
  class: string;
  domain: string;
  path: string;
  summary: string;
  plural: string;
  label?: readonly string[];
  /** What its page shows first, and the rest under headings. */
  headline?: readonly string[];
  sections?: readonly { title: string; fields: readonly string[] }[];
  scope: { kind: string; column?: string };
  operations: Readonly<Partial<Record<Operation, boolean>>>;
  operationsNote?: string;
  requiresVersion?: boolean;
  /** Whether versions are kept, the caller takes records back to one, and brings deleted ones back. */
  history?: boolean;
  revertible?: boolean;
  restorable?: boolean;
  /** Whether the caller may take back what was written of it. */
  undoable?: boolean;
  /** Whether the caller makes links that show records to whoever has them. */
  links?: boolean;
  /** Whether the caller reads and writes comments on records. */
  comments?: boolean;
  /** Whether the caller shares records with people, teams and addresses. */
  shares?: boolean;
  /** The unique rules by which an import knows records that are there: fields between commas. */
  upsertBy?: readonly string[];
  searchable?: readonly string[];
  /** The fields by whose meaning a search ranks. */
  semantic?: readonly string[];
  transitions?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  relations: readonly Relation[];
  fields: readonly Field[];
}

export interface Domain {
  name: string;
  summary: string;
  models: readonly Model[];
}

export interface CatalogueAnswer {
  currency: string;
  uploadMaxBytes: number;
  changesDays: number;
  domains: readonly Domain[];
}
