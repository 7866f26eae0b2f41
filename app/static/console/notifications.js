// Notifications: what is there, and what comes.
import { call, h } from "./api.js";

const NOTIFICATIONS = "/api/v1/notification/notification";
const STREAM = "/api/integrations/teams/notifications/stream";
const AGAIN_AFTER = 3000;
let source, last;

export async function showNotifications(view) {
  const { data } = await call("GET", `${NOTIFICATIONS}?take=50`);
  last = String(Math.max(0, ...data.map(({ sequence }) => sequence)));
  const list = h("ul", { ariaLive: "polite" }, ...data.map(entry));
  view.replaceChildren(h("section", { className: "card" }, h("h2", {}, "Notifications"), list));
  await follow(list);
}

function entry(notification) {
  const made = h("li", { className: notification.readAt ? "" : "unread" }, notification.title, " ",
    h("span", { className: "soft" }, `${notification.body ?? ""} ${new Date(notification.createdAt).toLocaleString()} `));
  const read = async () => made.replaceWith(entry(await call("PATCH", `${NOTIFICATIONS}/${notification.id}`, { readAt: new Date().toISOString() })));
  if (!notification.readAt) made.append(h("button", { type: "button", className: "quiet", onclick: read, "aria-label": `Mark read: ${notification.title}` }, "Mark read"));
  return made;
}

/** Follow the stream while the list is shown; a ticket opens it once, so it is opened anew where it was. */
async function follow(list) {
  source?.close();
  if (!list.isConnected) return;
  const again = () => setTimeout(() => follow(list).catch(again), AGAIN_AFTER);
  const { token } = await call("POST", `${STREAM}/ticket`);
  const opened = (source = new EventSource(`${STREAM}?${new URLSearchParams({ token, lastEventId: last })}`));
  const end = () => (opened.close(), again());
  opened.addEventListener("bye", end);
  opened.onerror = end;
  opened.onmessage = (event) => {
    last = event.lastEventId;
    list.prepend(entry(JSON.parse(event.data)));
  };
}

export function stop() {
  source?.close();
}
