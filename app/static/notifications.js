// A list of one's own notifications, which of an admin are not all: what is there, what comes, and what was read.
import { call, ownId } from "./api.js";
import { guarded, h } from "./elements.js";
import { follow } from "./stream.js";

const NOTIFICATIONS = "/api/v1/notification/notification";
const SHOWN = 50;

export class NotificationList {
  #shown = new Map();
  #list;
  #changed;

  /** Shows in `list`; `changed` is told how many there are, and how many of them are unread. */
  constructor(list, changed = () => {}) {
    this.#list = list;
    this.#changed = changed;
  }

  /** Load the newest; returns the place from which a stream goes on, so that nothing comes in between. */
  async load() {
    const before = [...this.#shown.keys()];
    const { data } = await call("GET", `${NOTIFICATIONS}?userId=${await ownId()}&take=${SHOWN}`);
    // What the stream has brought meanwhile stays.
    for (const id of before) {
      this.#shown.get(id)?.entry.remove();
      this.#shown.delete(id);
    }
    for (const notification of data) this.#show(notification, "append");
    this.#tell();
    return String(Math.max(0, ...data.map(({ sequence }) => sequence)));
  }

  /** Show what comes after the place `last`; returns what ends it. The rest is told as by `follow`. */
  follow(last, { onRefused, onState }) {
    return follow({
      last,
      onNotification: (notification) => this.#show(notification, "prepend"),
      onReset: guarded(() => this.load()),
      onRefused,
      onState,
    });
  }

  async markAllRead() {
    for (const { notification } of this.#shown.values()) if (!notification.readAt) await this.#markRead(notification);
  }

  async #markRead({ id }) {
    return this.#show(await call("PATCH", `${NOTIFICATIONS}/${id}`, { readAt: new Date().toISOString() }));
  }

  #show(notification, where) {
    const entry = this.#entry(notification);
    const old = this.#shown.get(notification.id);
    if (old) old.entry.replaceWith(entry);
    else this.#list[where](entry);
    this.#shown.set(notification.id, { notification, entry });
    this.#tell();
    return entry;
  }

  #entry(notification) {
    const { title, body, createdAt, readAt } = notification;
    const read = async () => {
      const entry = await this.#markRead(notification);
      entry.tabIndex = -1;
      entry.focus();
    };
    return h(
      "li",
      { className: readAt ? "" : "unread" },
      h("strong", {}, title),
      readAt ? null : h("button", { type: "button", className: "quiet", onclick: read, "aria-label": `Mark read: ${title}` }, "Mark read"),
      body ? h("p", {}, body) : null,
      moment(createdAt),
    );
  }

  #tell() {
    const all = [...this.#shown.values()];
    this.#changed(all.length, all.filter(({ notification }) => !notification.readAt).length);
  }
}

/** A moment as the reader's country writes it. */
export function moment(text) {
  return h("time", { dateTime: text }, new Date(text).toLocaleString());
}
