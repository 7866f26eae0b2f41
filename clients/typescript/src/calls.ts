/** How a call is made, whatever model it is about. */

/** Aborts a call. */
export interface Call {
  signal?: AbortSignal;
}

/** How a write is sent. */
export interface WriteCall extends Call {
  /** Instead of one that is made for the call: keep it, and send the same write with it again after a restart. */
  idempotencyKey?: string;
  /** Is given the transaction of the write, by which `undo` takes it back. */
  onTransaction?: (transaction: string) => void;
}

/**
 * Which record: its id, or the record as it was read or written by this client. By a record the write is carried out
 * only while the stored version is the one of the record, and throws VersionConflict otherwise; by an id always.
 */
export type Target = string | { readonly id: string };
