/** The stream of notifications: opened with a ticket that is good once, and opened anew where it broke off. */
import { RowgateError } from "@rowgate/client/react-admin";

import { ask } from "./transport";

const STREAM = "/api/integrations/teams/notifications/stream";
const SHORTEST = 3000;
const LONGEST = 60_000;

export interface Notification {
  id: string;
  title: string;
}

/** Follow the stream from a place; gives what ends it. After a reset so much was missed that the list is read anew. */
export function follow(from: string, onNotification: (notification: Notification) => void, onReset: () => void): () => void {
  let last = from;
  let failures = 0;
  let isEnded = false;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const again = () => {
    source?.close();
    if (isEnded) return;
    const pause = Math.min(SHORTEST * 2 ** Math.max(0, failures - 1), LONGEST);
    timer = setTimeout(() => void open(), pause * (0.75 + Math.random() / 2));
  };
  const open = async () => {
    try {
      const { token } = await ask<{ token: string }>("POST", `${STREAM}/ticket`);
      if (isEnded) return;
      source = new EventSource(`${STREAM}?${new URLSearchParams({ token, lastEventId: last })}`);
      source.addEventListener("ready", ({ lastEventId }) => ([last, failures] = [lastEventId, 0]));
      source.addEventListener("reset", onReset);
      source.addEventListener("bye", again);
      source.onerror = () => ((failures += 1), again());
      source.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
        last = lastEventId;
        onNotification(JSON.parse(data) as Notification);
      };
    } catch (error) {
      // Who may not follow it never will.
      if (error instanceof RowgateError && error.status === 403) return;
      failures += 1;
      again();
    }
  };

  void open();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    source?.close();
  };
}
