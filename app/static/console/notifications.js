// The page of notifications.
import { h } from "../elements.js";
import { NotificationList } from "../notifications.js";

/** Returns what ends the page: its stream. */
export async function showNotifications(page, failed) {
  const list = h("ul", { className: "notifications", ariaLive: "polite" });
  const state = h("span", { className: "soft", role: "status" });
  const notifications = new NotificationList(list);
  const last = await notifications.load();
  page.append(h("section", { className: "card" }, h("div", { className: "row" }, h("h2", {}, "Notifications"), state), list));
  return notifications.follow(last, { onRefused: failed, onState: (text) => (state.textContent = text) });
}
