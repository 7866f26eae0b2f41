// Notifications: what is there, and what comes.
import { call } from "../api.js";
import { follow } from "../stream.js";
import { guarded, h } from "./elements.js";

const NOTIFICATIONS = "/api/v1/notification/notification";

/** Returns what ends the page: its stream. */
export async function showNotifications(page, failed) {
  const list = h("ul", { ariaLive: "polite" });
  const state = h("span", { className: "soft", role: "status" });
  const entries = new Map();
  const show = (notification, { first = false } = {}) => {
    const old = entries.get(notification.id);
    const made = entry(notification, show);
    if (old) old.replaceWith(made);
    else if (first) list.prepend(made);
    else list.append(made);
    entries.set(notification.id, made);
    return made;
  };
  const load = async () => {
    const { data } = await call("GET", `${NOTIFICATIONS}?take=50`);
    data.forEach((notification) => show(notification));
    return String(Math.max(0, ...data.map(({ sequence }) => sequence)));
  };
  const reload = () => {
    entries.clear();
    list.replaceChildren();
    return load();
  };
  const last = await load();
  page.append(h("section", { className: "card" }, h("div", { className: "row" }, h("h2", {}, "Notifications"), state), list));
  return follow({
    last,
    onNotification: (notification) => show(notification, { first: true }),
    onReset: guarded(reload),
    onRefused: failed,
    onState: (text) => (state.textContent = text),
  });
}

function entry(notification, show) {
  const said = `${notification.body ?? ""} ${new Date(notification.createdAt).toLocaleString()} `;
  const made = h("li", { className: notification.readAt ? "" : "unread" }, notification.title, " ", h("span", { className: "soft" }, said));
  const read = async () => {
    const shown = show(await call("PATCH", `${NOTIFICATIONS}/${notification.id}`, { readAt: new Date().toISOString() }));
    shown.tabIndex = -1;
    shown.focus();
  };
  const label = `Mark read: ${notification.title}`;
  if (!notification.readAt)
    made.append(h("button", { type: "button", className: "quiet", onclick: read, "aria-label": label }, "Mark read"));
  return made;
}
