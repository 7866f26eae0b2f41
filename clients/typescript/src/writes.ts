/** What can be written of each model: types over the table of src/models.ts. */
import type { Call, Target, WriteCall } from "./calls.js";
import type { Models } from "./models.js";
import type { Model, RecordOf, Where } from "./queries.js";

export type { Call, Target, WriteCall };

/** What makes a record. */
export type Draft<M extends Model> = Models[M]["create"];
/** What is changed of a record: the fields that are given. */
export type Changes<M extends Model> = Models[M]["update"];

/** All records that match and that the caller may change, `max` of them at most; with `dryRun` they are only counted. */
export interface Matching<M extends Model> {
  readonly where: Where<M>;
  readonly max: number;
  readonly dryRun?: boolean;
}

/** By which unique rule a record is the same as one that is there, and what becomes of that one. */
export interface Upsert<M extends Model> {
  readonly onConflict: Models[M]["unique"];
  /** To change it, which is so without it, or to leave it as it is. */
  readonly resolution?: "merge" | "ignore";
}

/** The records as they are now, in the order given, and how many were made, changed and left. */
export interface Upserted<M extends Model> {
  data: RecordOf<M>[];
  meta: { count: number; created: number; updated: number; ignored: number };
}

/**
 * What can be written of the records of a model. Each write is sent with an idempotency key and, when no answer comes,
 * again: the service does the work once. What is about many records is done for all or for none.
 */
export interface Writing<M extends Model> {
  create(record: Draft<M>, call?: WriteCall): Promise<RecordOf<M>>;
  createMany(records: readonly Draft<M>[], call?: WriteCall): Promise<RecordOf<M>[]>;
  upsert(records: readonly Draft<M>[], by: Upsert<M>, call?: WriteCall): Promise<Upserted<M>>;
  update(target: Target, changes: Changes<M>, call?: WriteCall): Promise<RecordOf<M>>;
  updateMany(changes: readonly (readonly [Target, Changes<M>])[], call?: WriteCall): Promise<RecordOf<M>[]>;
  /** Change the records that match; gives how many these are. */
  updateMatching(matching: Matching<M> & { readonly set: Changes<M> }, call?: WriteCall): Promise<number>;
  delete(target: Target, call?: WriteCall): Promise<void>;
  /** Gives how many these were. */
  deleteMany(ids: readonly string[], call?: WriteCall): Promise<number>;
  /** Delete the records that match; gives how many these are. */
  deleteMatching(matching: Matching<M>, call?: WriteCall): Promise<number>;

  /**
   * Read a record, change it by what `change` says of it, and do both again while others change it meanwhile; gives
   * the record as it is then. Nothing is written where `change` gives nothing.
   */
  modify(
    id: string,
    change: (record: RecordOf<M>) => Changes<M> | undefined | Promise<Changes<M> | undefined>,
    call?: Call,
  ): Promise<RecordOf<M>>;
}
