import type { EventSourceMessage } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";

import { type Connection, address, credentials } from "./connection.js";
import { RowgateError } from "./errors.js";
import { waited } from "./pauses.js";
import { decoder, pieces } from "./streams.js";

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

export interface Follow {
  signal?: AbortSignal;
  /** Go on after this place; without it, from now. */
  lastEventId?: string;
  /** Called at each place that was reached, after its notification was taken: keep it to go on there later. */
  onPlace?: (lastEventId: string) => void;
  /** Called when so much was missed that it has to be loaded from `/api/v1/notification/notification`. */
  onReset?: () => void;
}

const STREAM = "/api/integrations/teams/notifications/stream";
/** Milliseconds that a stream may be silent: the service sends a heartbeat every fifteen seconds. */
const SILENCE = 45_000;
const LONGEST_PAUSE = 30_000;

/** How the attempts go: what the service asks for between them, and how many have failed in a row. */
interface Attempts {
  retry: number;
  failures: number;
  retryAfter: number;
}

/**
 * The caller's notifications as they come, for ever: a stream that ends or breaks is taken up again where it was, so
 * that nothing is missed and nothing comes twice. In another process the last one may come again, since its place is
 * kept after it was taken. Throws RowgateError when the service refuses the caller, and what `token`, the callbacks
 * and the reading of a notification throw.
 */
export async function* followNotifications(
  connection: Connection,
  options: Follow = {},
): AsyncGenerator<Notification, void, undefined> {
  const url = address(connection, STREAM);
  const attempts: Attempts = { retry: 3000, failures: 0, retryAfter: 0 };
  let place = options.lastEventId;
  while (!options.signal?.aborted) {
    const headers = new Headers({ Accept: "text/event-stream", ...(await credentials(connection)) });
    if (place !== undefined) headers.set("Last-Event-ID", place);
    for await (const { event, id, data } of opened(url, headers, attempts, options.signal)) {
      if (event === "reset") options.onReset?.();
      if (event === undefined && data) yield JSON.parse(data) as Notification;
      if (id === undefined) continue;
      place = id;
      options.onPlace?.(id);
    }
    await waited(pause(attempts), options.signal);
  }
}

/** The events of one stream. What breaks it is counted, unless the service refuses the caller. */
async function* opened(
  url: URL,
  headers: Headers,
  attempts: Attempts,
  signal?: AbortSignal,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const silence = new Silence();
  attempts.retryAfter = 0;
  try {
    const ended = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const response = await fetch(url, { headers, signal: ended });
    if (!response.ok || response.body === null) throw await RowgateError.of(response);
    const events = response.body
      .pipeThrough(silence.watched())
      .pipeThrough(decoder())
      .pipeThrough(new EventSourceParserStream({ onRetry: (retry) => (attempts.retry = retry) }));
    for await (const event of pieces(events)) {
      attempts.failures = 0;
      yield event;
    }
  } catch (error) {
    if (signal?.aborted) return;
    if (error instanceof RowgateError) {
      if (error.status < 500 && error.status !== 429) throw error;
      attempts.retryAfter = (error.retryAfter ?? 0) * 1000;
    }
    attempts.failures += 1;
  } finally {
    silence.over();
  }
}

/** Aborts a stream that says nothing for too long, not even a heartbeat. */
class Silence {
  private readonly controller = new AbortController();
  private alarm = this.armed();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  watched(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (chunk, controller) => {
        clearTimeout(this.alarm);
        this.alarm = this.armed();
        controller.enqueue(chunk);
      },
    });
  }

  over(): void {
    clearTimeout(this.alarm);
  }

  private armed(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.controller.abort(), SILENCE);
  }
}

function pause({ retry, failures, retryAfter }: Attempts): number {
  const longer = Math.min(retry * 2 ** Math.max(0, failures - 1), LONGEST_PAUSE);
  return Math.max(longer * (0.75 + Math.random() / 2), retryAfter);
}
