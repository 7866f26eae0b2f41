/** What can be asked of the lists of each model, and what comes back: types over the table of src/models.ts. */
import type { Models } from "./models.js";
import type { Unit } from "./sums.js";

/** A model by its name in the description, such as `CrmDeal`. */
export type Model = keyof Models;
type Name<T> = keyof T & string;
type Given<T> = Exclude<T, null | undefined>;

export type RecordOf<M extends Model> = Models[M]["record"];
/** The fields of a record. */
export type Field<M extends Model> = Name<RecordOf<M>>;
type One<M extends Model> = Models[M]["one"];
type Many<M extends Model> = Models[M]["many"];
/** The relations of a record. */
export type Relation<M extends Model> = Name<One<M>> | Name<Many<M>>;
/** The model that a relation leads to. */
export type Target<M extends Model, R> = ModelAt<One<M> & Many<M>, R>;
type ModelAt<Relations, R> = R extends keyof Relations ? Extract<Relations[R], Model> : never;

/** The conditions of a model: fields with values or operators, relations with conditions of theirs, `and`, `or`, `not`. */
export type Where<M extends Model> = {
  readonly [K in Name<Models[M]["where"]>]?: K extends "and" | "or"
    ? readonly Where<M>[]
    : K extends "not" | Name<One<M>>
      ? Where<K extends "not" ? M : Target<M, K>>
      : K extends Name<Many<M>>
        ? Quantified<Target<M, K>>
        : K extends keyof Models[M]["where"] & Field<M>
          ? Condition<Given<Models[M]["where"][K]> | null, Item<Given<RecordOf<M>[K]>>>
          : never;
};

/** Conditions that every one of several models knows. */
export type WhereOfAll<M extends Model> = {
  readonly [K in Name<Models[M]["where"]>]?: K extends "and" | "or"
    ? readonly WhereOfAll<M>[]
    : K extends "not"
      ? WhereOfAll<M>
      : K extends Name<One<M>>
        ? WhereOfAll<Target<M, K>>
        : K extends Name<Many<M>>
          ? { readonly [Q in keyof Quantified<M>]?: WhereOfAll<Target<M, K>> }
          : Both<M extends Model ? { of: (value: WhereAt<M, K>) => void } : never>;
};
type WhereAt<M extends Model, K> = K extends keyof Where<M> ? Where<M>[K] : never;
type Both<F> = [F] extends [{ of: (value: infer V) => void }] ? V : never;

/** Conditions on the records that a relation to many leads to. */
export interface Quantified<M extends Model> {
  readonly some?: Where<M>;
  readonly none?: Where<M>;
  readonly every?: Where<M>;
}

/** The condition `C` of the description, with the values `V` of the field in place of all of their kind. */
type Condition<C, V> = C extends object ? { readonly [O in keyof C]?: Operand<Given<C[O]> | Extract<C[O], null>, V> } : Operand<C, V>;
type Operand<C, V> = C extends readonly (infer E)[]
  ? readonly Operand<E, V>[]
  : C extends string
    ? string extends C
      ? Extract<V, string>
      : C
    : C;
type Item<T> = T extends readonly (infer E)[] ? E : T;

/** A key of a sort: a field or one of a related record, descending with a minus. */
export type SortKey<M extends Model> = Descending<Models[M]["sorts"] | Spans<M> | SortsOfOne<M>>;
/** Dates and timestamps by the span that they lie in. */
type Spans<M extends Model> =
  | `${Extract<Models[M]["sorts"], Models[M]["moments"]>}:${Unit}`
  | `${Extract<Models[M]["sorts"], Models[M]["days"]>}:${Exclude<Unit, "hour">}`;
type Descending<Key extends string> = Key | `-${Key}`;
type SortsOfOne<M extends Model> = { [R in Name<One<M>>]: `${R}.${Models[Target<M, R>]["sorts"]}` }[Name<One<M>>];

/** A relation to expand, or one of a related record. */
export type Path<M extends Model> = Relation<M> | { [R in Relation<M>]: `${R}.${Relation<Target<M, R>>}` }[Relation<M>];

/** Relations to expand, with what is wanted of each. */
export type Expansions<M extends Model> = {
  readonly [R in Relation<M>]?: Expansion<Target<M, R>> & (R extends Name<Many<M>> ? Window<Target<M, R>> : unknown);
};

/** What is wanted of related records. */
export interface Expansion<M extends Model> {
  readonly fields?: readonly Field<M>[];
  readonly expand?: Expansions<M>;
}

/** Which of many related records are wanted. */
export interface Window<M extends Model> {
  readonly where?: Where<M>;
  readonly sort?: readonly SortKey<M>[];
  /** At most 100; 20 without it. */
  readonly take?: number;
}

export type Expand<M extends Model> = readonly Path<M>[] | Expansions<M>;

/** `G` where it holds nothing that `Shape` does not know: what is inferred from an argument is not checked for more. */
export type Exact<Shape, G> = [Shape] extends [G]
  ? G
  : G extends readonly unknown[]
    ? { readonly [I in keyof G]: Exact<Item<Shape>, G[I]> }
    : G extends object
      ? { readonly [K in keyof G]: K extends KeyOf<Shape> ? Exact<At<Shape, K>, G[K]> : never }
      : G;
type KeyOf<Shape> = Shape extends readonly unknown[] ? never : Shape extends object ? keyof Shape : never;
type At<Shape, K> = Shape extends object ? (K extends keyof Shape ? Given<Shape[K]> : never) : never;

/** A record with the fields `F`, or all, and the expanded relations `E`. */
export type Selected<M extends Model, F, E> = Flat<Chosen<M, F> & Expanded<M, E>>;
type Flat<T> = { [K in keyof T]: T[K] };
type Chosen<M extends Model, F> = [F] extends [never] ? RecordOf<M> : Pick<RecordOf<M>, Extract<F | "id", keyof RecordOf<M>>>;
type Expanded<M extends Model, E> = E extends readonly (infer P)[]
  ? { [R in Extract<Head<P>, Relation<M>>]: Related<M, R, Target<M, R>, never, readonly Tail<P, R>[]> }
  : { [R in Extract<keyof E, Relation<M>>]: Related<M, R, Target<M, R>, FieldsIn<E[R]>, ExpandIn<E[R]>> };
/** The records that a relation leads to: `null` where there is none that the caller may see. */
type Related<M extends Model, R, T extends Model, F, E> = R extends Name<Many<M>> ? Selected<T, F, E>[] : Selected<T, F, E> | null;
type Head<P> = P extends `${infer H}.${string}` ? H : P;
type Tail<P, R extends string> = P extends `${R}.${infer T}` ? T : never;
type FieldsIn<X> = X extends { readonly fields: readonly (infer F)[] } ? F : never;
type ExpandIn<X> = X extends { readonly expand: infer E } ? E : unknown;

/** The page of a list, in the envelope of its model. */
export type Page<M extends Model, R> = Flat<Omit<Models[M]["page"], "data"> & { data: R[] }>;

/** What is asked of every list. */
export interface Asked<M extends Model> {
  readonly where?: Where<M>;
  /** Every word, by prefix. */
  readonly search?: string;
  /** Where days begin for spans of time, such as `Europe/Berlin`; UTC where none is named. */
  readonly timeZone?: string;
}

/** What is wanted of the records of an answer. */
export interface Wanted<M extends Model, F extends Field<M>, E> {
  /** Only these; `id` always. */
  readonly fields?: readonly F[];
  /** Related records beside their reference. */
  readonly expand?: E & Exact<Expand<M>, E>;
}

/** What is asked of an export. */
export interface Export<M extends Model, F extends Field<M>> extends Asked<M> {
  readonly sort?: readonly SortKey<M>[];
  /** Only these; `id` always. */
  readonly fields?: readonly F[];
}

/** What is asked while all pages are walked. */
export interface Walk<M extends Model, F extends Field<M>, E> extends Asked<M>, Wanted<M, F, E> {
  readonly sort?: readonly SortKey<M>[];
  /** How many records come at once. */
  readonly take?: number;
  /** Know the version of each record, so that it can be given to `update` and `delete`. */
  readonly versions?: boolean;
}

/** What is asked of a list that a search ranks: at most 200 records, the best first. */
export interface Ranking<M extends Model, F extends Field<M>, E> extends Asked<M>, Wanted<M, F, E> {
  readonly search: string;
  /** By its words, its meaning, or both, which is the usual one. */
  readonly searchMode?: "hybrid" | "keyword" | "vector";
  readonly take?: number;
  readonly versions?: boolean;
}

/** A record with how well it answers, from 0 to 1. */
export type Ranked<R> = R & { readonly score: number };

/** What is asked of one page. */
export interface Query<M extends Model, F extends Field<M>, E> extends Walk<M, F, E> {
  readonly skip?: number;
  /** Empty for the first page of a walk; then the `next` of the page before. */
  readonly cursor?: string;
  readonly count?: "exact" | "bounded" | "none";
}
