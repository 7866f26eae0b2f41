import { EventSourceParserStream } from "eventsource-parser/stream";

import { pieces } from "./chat.js";
import { type Connection, RowgateError, credentials } from "./index.js";

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
  /** Called at each place that was reached: keep it to go on there later. */
  onPlace?: (lastEventId: string) => void;
  /** Called when so much was missed that it has to be loaded from `/api/v1/notification/notification`. */
  onReset?: () => void;
}

/** Seconds that a stream may be silent: the service sends a heartbeat every fifteen. */
const SILENCE = 45_000;
const LONGEST_PAUSE = 30_000;

/**
 * The caller's notifications as they come, for ever: a stream that ends or breaks is taken up again where it was, so
 * that nothing is missed and nothing comes twice. Throws RowgateError when the service refuses the caller.
 */
export async function* followNotifications(
  connection: Connection,
  options: Follow = {},
): AsyncGenerator<Notification, void, undefined> {
  const state = { place: options.lastEventId, retry: 3000, failures: 0 };
  while (!options.signal?.aborted) {
    try {
      yield* once(connection, options, state);
    } catch (error) {
      if (options.signal?.aborted) return;
      if (error instanceof RowgateError && error.status < 500 && error.status !== 429) throw error;
      state.failures += 1;
    }
    const pause = Math.min(state.retry * 2 ** Math.max(0, state.failures - 1), LONGEST_PAUSE);
    await waited(pause * (0.75 + Math.random() / 2), options.signal);
  }
}

async function* once(
  connection: Connection,
  options: Follow,
  state: { place: string | undefined; retry: number; failures: number },
): AsyncGenerator<Notification, void, undefined> {
  const silence = new AbortController();
  let alarm = setTimeout(() => silence.abort(), SILENCE);
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      clearTimeout(alarm);
      alarm = setTimeout(() => silence.abort(), SILENCE);
      controller.enqueue(chunk);
    },
  });
  try {
    const response = await fetch(`${connection.baseUrl}/api/integrations/teams/notifications/stream`, {
      headers: {
        Accept: "text/event-stream",
        ...(state.place === undefined ? {} : { "Last-Event-ID": state.place }),
        ...(await credentials(connection)),
      },
      signal: options.signal ? AbortSignal.any([options.signal, silence.signal]) : silence.signal,
    });
    if (!response.ok || response.body === null) throw await RowgateError.of(response);
    const events = response.body
      .pipeThrough(watched)
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(new EventSourceParserStream({ onRetry: (retry) => (state.retry = retry) }));
    for await (const { event, id, data } of pieces(events)) {
      state.failures = 0;
      if (event === "reset") options.onReset?.();
      if (event === undefined) yield JSON.parse(data) as Notification;
      if (id !== undefined) {
        state.place = id;
        options.onPlace?.(id);
      }
    }
  } finally {
    clearTimeout(alarm);
  }
}

function waited(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
