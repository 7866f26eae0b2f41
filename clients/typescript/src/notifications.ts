import { type Connection, address } from "./connection.js";
import { type Follow, events } from "./events.js";

/** A notification as the stream sends it. */
export interface Notification {
  id: string;
  userId: string;
  type: string;
  title: string;
  body: string;
  data: Record<string, unknown>;
  createdAt: string;
  readAt: string | null;
}

/** How notifications are followed. */
export interface FollowNotifications extends Follow {
  /** Called when so much was missed that it has to be loaded from `/api/v1/notification/notification`. */
  onReset?: () => void;
}

const STREAM = "/api/integrations/teams/notifications/stream";

/** The caller's notifications as they come, for ever, as `events` has them. Also throws what `onReset` throws. */
export async function* followNotifications(
  connection: Connection,
  options: FollowNotifications = {},
): AsyncGenerator<Notification, void, undefined> {
  for await (const { event, data } of events(connection, address(connection, STREAM), options)) {
    if (event === "reset") options.onReset?.();
    if (event === undefined && data) yield JSON.parse(data) as Notification;
  }
}
