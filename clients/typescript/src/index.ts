import createFetchClient, { type Client, defaultBodySerializer } from "openapi-fetch";

import { type Connection, credentials } from "./connection.js";
import { KEYED } from "./models.js";
import type { components, paths } from "./schema.js";
import { hasKey, keyed, sent } from "./sending.js";

export { grant, type Access, type Grant, type Grants, type KeyChanges, type KeyDraft, type NamesOfGrants } from "./access.js";
export { reference, type BatchCall, type BatchReply, type BatchRequest } from "./batch.js";
export type { Change, Changes as ChangesPage, DeletedRecord, Following, Heard, Histories, News, Subscribed, Subscription, Version } from "./changes.js";
export { streamChat, type ChatAnswer, type ChatQuestion } from "./chat.js";
export type { Connection } from "./connection.js";
export { RowgateError, VersionConflict } from "./errors.js";
export type { Follow } from "./events.js";
export type { Keeping } from "./live.js";
export { followNotifications, type FollowNotifications, type Notification } from "./notifications.js";
export type { Field, Model, Page, Path, RecordOf, Relation, Selected, SortKey, Where } from "./queries.js";
export { createRowgate, type Live, type Records, type Rowgate } from "./records.js";
export type { components, paths } from "./schema.js";
export type { Group, Measures, Sum, Sums } from "./sums.js";
export { versionOf } from "./versions.js";
export type { Call, Changes, Draft, Matching, Target, Upsert, Upserted, WriteCall } from "./writes.js";

/** A record or body by its name in the description, such as `Schema<"CrmDeal">`. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type RowgateClient = Client<paths>;

/**
 * A client with a method for each HTTP method, typed by path. Writes in the name of a caller have an idempotency key
 * where the service takes one, and are sent again when no answer comes: the service does the work once.
 */
export function createClient(connection: Connection): RowgateClient {
  const fetch = (request: Request) => sent(connection, request);
  const client = createFetchClient<paths>({ baseUrl: connection.baseUrl, bodySerializer, fetch });
  client.use({
    async onRequest({ request, schemaPath }) {
      for (const [name, value] of Object.entries(await credentials(connection))) request.headers.set(name, value);
      const methods = KEYED[schemaPath] ?? [];
      const isKeyed = methods.includes(request.method) && request.headers.has("Authorization");
      return isKeyed && !hasKey(new URL(request.url), request.headers) ? keyed(request) : request;
    },
  });
  return client;
}

/** A body with a file in it goes as a form, a text as it is, any other as JSON. */
function bodySerializer(body: unknown): FormData | string {
  if (body instanceof FormData || typeof body === "string") return body;
  const fields = typeof body === "object" && body !== null ? Object.entries(body) : [];
  if (!fields.some(([, value]) => value instanceof Blob)) return defaultBodySerializer(body);
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value);
  return form;
}
