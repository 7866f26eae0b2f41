// The stream of notifications, opened with a ticket that is good once, and opened anew where it broke off.
import { call } from "./api.js";

const STREAM = "/api/integrations/teams/notifications/stream";
const SHORTEST_PAUSE = 3000;
const LONGEST_PAUSE = 60_000;

function ticket() {
  return call("POST", `${STREAM}/ticket`);
}

/**
 * Follow the stream from the place `last`; returns what stops it for good. `onNotification` gets what comes; `onReset` is
 * told that so much was missed that the list is to be loaded anew, `onState` how it goes, and `onRefused` that nobody is
 * signed in, which ends it.
 */
export function follow({ last, onNotification, onReset, onRefused, onState }) {
  let stopped = false;
  let failures = 0;
  let timer, source;

  const again = (state) => {
    onState(state);
    const pause = Math.min(SHORTEST_PAUSE * 2 ** Math.max(0, failures - 1), LONGEST_PAUSE);
    timer = setTimeout(open, pause * (0.75 + Math.random() / 2));
  };
  const open = async () => {
    try {
      const { token } = await ticket();
      if (!stopped) listen(token);
    } catch (error) {
      if (stopped) return;
      failures += 1;
      if (error.signedOut) onRefused(error);
      else again(error.message);
    }
  };
  const ended = (failed) => {
    source.close();
    failures += failed;
    again("Reconnecting…");
  };
  const listen = (token) => {
    source = new EventSource(`${STREAM}?${new URLSearchParams({ token, ...(last && { lastEventId: last }) })}`);
    source.addEventListener("ready", (event) => {
      last = event.lastEventId;
      failures = 0;
      onState("Live");
    });
    source.addEventListener("reset", onReset);
    source.addEventListener("bye", () => ended(0));
    source.onerror = () => ended(1);
    source.onmessage = (event) => {
      last = event.lastEventId;
      onNotification(JSON.parse(event.data));
    };
  };

  open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    source?.close();
  };
}
