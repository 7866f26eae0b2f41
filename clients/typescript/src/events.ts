/** Streams of server-sent events that are taken up again where they broke off. */
import type { EventSourceMessage } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";

import { type Connection, credentials, send } from "./connection.js";
import { RowgateError } from "./errors.js";
import { waited } from "./pauses.js";
import { decoder, pieces } from "./streams.js";

/** How a stream is followed. */
export interface Follow {
  signal?: AbortSignal;
  /** Go on after this place; without it, from now. */
  lastEventId?: string;
  /** Called at each place that was reached, after what it brought was taken: keep it to go on there later. */
  onPlace?: (lastEventId: string) => void;
}

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
 * The events of the stream at `url`, for ever: one that ends or breaks is taken up again where it was, so that nothing
 * is missed and nothing comes twice. In another process the last one may come again, since its place is kept after it
 * was taken. Throws RowgateError when the service refuses the caller, and what `token` and `onPlace` throw.
 */
export async function* events(connection: Connection, url: URL, options: Follow): AsyncGenerator<EventSourceMessage, void, undefined> {
  const attempts: Attempts = { retry: 3000, failures: 0, retryAfter: 0 };
  let place = options.lastEventId;
  while (!options.signal?.aborted) {
    const headers = new Headers({ Accept: "text/event-stream", ...(await credentials(connection)) });
    if (place !== undefined) headers.set("Last-Event-ID", place);
    for await (const event of opened(connection, url, headers, attempts, options.signal)) {
      yield event;
      if (event.id === undefined) continue;
      place = event.id;
      options.onPlace?.(event.id);
    }
    await waited(pause(attempts), options.signal);
  }
}

/** The events of one stream. What breaks it is counted, unless the service refuses the caller. */
async function* opened(
  connection: Connection,
  url: URL,
  headers: Headers,
  attempts: Attempts,
  signal?: AbortSignal,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const silence = new Silence();
  attempts.retryAfter = 0;
  try {
    const ended = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    const response = await send(connection, new Request(url, { headers, signal: ended }));
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
