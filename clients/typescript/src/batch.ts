/** Several requests in one, together or each by itself. */
import { write } from "./collection.js";
import type { Connection } from "./connection.js";
import type { components } from "./schema.js";
import type { WriteCall } from "./writes.js";

/** A request of a batch: the create, change, delete, read, list or sum of a single model. */
export type BatchRequest = components["schemas"]["BatchRequest"];
/** The answer to a request of a batch, with its status. */
export type BatchReply = components["schemas"]["BatchReply"];

export interface BatchCall extends WriteCall {
  /** All or none, which is so without it. */
  atomic?: boolean;
}

/** A field of the answer to an earlier request of the batch, by the name that it was given as `ref`. */
export function reference(ref: string, field = "id"): string {
  return `{${ref}.${field}}`;
}

/** Carry out requests in order; gives their answers, one for one. */
export async function batch(
  connection: Connection,
  requests: readonly BatchRequest[],
  { atomic = true, ...call }: BatchCall = {},
): Promise<BatchReply[]> {
  const response = await write(connection, { method: "POST", path: "/api/v1/_batch", body: { requests, atomic } }, call);
  return ((await response.json()) as { data: BatchReply[] }).data;
}
