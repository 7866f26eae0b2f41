/** What can be summed over the lists of each model, and what comes back: types over the table of src/models.ts. */
import type { Models } from "./models.js";
import type { Asked, Exact, Field, Model, RecordOf, Relation, Target } from "./queries.js";

type Name<T> = keyof T & string;
type One<M extends Model> = Name<Models[M]["one"]>;
type Moment<M extends Model> = Models[M]["moments"];
type Day<M extends Model> = Models[M]["days"];
type Extreme<M extends Model> = Numeric<M> | Moment<M> | Day<M> | Models[M]["times"];
/** What is measured of these is a text. */
type Told<M extends Model> = Exclude<Extreme<M>, Numeric<M>> | Models[M]["exact"];
type Numeric<M extends Model> = Models[M]["numbers"];
type Filterable<M extends Model> = Exclude<Name<Models[M]["where"]> & Field<M>, Relation<M>>;

type OfOne<M extends Model, Which extends "plain" | "moments"> = {
  [R in One<M>]: `${R}.${Own<Target<M, R>, Which>}`;
}[One<M>];
type Own<M extends Model, Which> = Which extends "moments" ? Extract<Filterable<M>, Moment<M>> : Exclude<Filterable<M>, Moment<M>>;

/** A field to group by, of the record or of a related one; timestamps by a unit, and dates by one that has days. */
export type Group<M extends Model> =
  | Own<M, "plain">
  | OfOne<M, "plain">
  | { readonly field: Own<M, "moments"> | OfOne<M, "moments">; readonly by: Unit }
  | { readonly field: Extract<Filterable<M>, Day<M>>; readonly by: Exclude<Unit, "hour"> };
export type Unit = "hour" | "day" | "week" | "month" | "quarter" | "year";

/** What is measured of each group; how many records it has where nothing is said. */
export interface Measures<M extends Model> {
  readonly count?: boolean;
  readonly sum?: readonly Numeric<M>[];
  readonly avg?: readonly Numeric<M>[];
  readonly min?: readonly Extreme<M>[];
  readonly max?: readonly Extreme<M>[];
  readonly countDistinct?: readonly Field<M>[];
}

type GroupName<G> = G extends { readonly field: infer F extends string } ? F : Extract<G, string>;
type MeasureName<Q> = {
  [K in keyof Q]: K extends "count" ? "count" : `${K & string}.${FieldOf<Q[K]>}`;
}[keyof Q];
type FieldOf<T> = T extends readonly (infer F extends string)[] ? F : never;
type SumKey<G, Q> = GroupName<G> | Extract<keyof Q extends never ? "count" : MeasureName<Q>, string>;

/** What is summed up. */
export interface SumQuery<M extends Model, G extends Group<M>, Q> extends Asked<M> {
  /** At most three. */
  readonly group?: readonly G[];
  readonly measures?: Q & Exact<Measures<M>, Q>;
  /** Groups and measures that were asked for, such as `-count` or `sum.amount`, descending with a minus. */
  readonly sort?: readonly (SumKey<G, Q> | `-${SumKey<G, Q>}`)[];
  readonly take?: number;
  /** The zone in which timestamps are grouped, such as `Europe/Berlin`. */
  readonly timeZone?: string;
}

/** A group with its measures. */
export type Sum<M extends Model, G, Q> = {
  group: { [F in GroupName<G>]: GroupValue<M, F> };
} & (keyof Q extends never ? { count: number } : { -readonly [K in keyof Q]: Measured<M, K, FieldOf<Q[K]>> });

type GroupValue<M extends Model, F extends string> = F extends Field<M>
  ? Grouped<Shown<RecordOf<M>[F]>>
  : F extends `${infer R}.${infer L}`
    ? ValueAt<Target<M, R>, L> | null
    : never;
type ValueAt<M extends Model, F> = M extends Model ? (F extends Field<M> ? Grouped<Shown<RecordOf<M>[F]>> : never) : never;
/** Amounts are grouped by their currency. */
type Grouped<T> = T extends { amount: string; currency: infer C } ? C : T;
/** A field that some rows do not show is empty on them. */
type Shown<T> = undefined extends T ? Exclude<T, undefined> | null : T;
type Measured<M extends Model, K, F extends string> = K extends "count"
  ? number
  : { [N in F]: K extends "countDistinct" ? number : N extends Told<M> ? string | null : number | null };

/** The groups, and whether there are more of them. */
export interface Sums<M extends Model, G, Q> {
  data: Sum<M, G, Q>[];
  meta: { take: number; more: boolean };
}
