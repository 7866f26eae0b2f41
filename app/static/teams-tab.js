// The tab: signs in silently, shows notifications as they happen, meetings, and how one is notified.
import { bearersFrom, call, send, signIn } from "./api.js";
import { follow } from "./stream.js";

// TeamsJS is a classic script before this one.
const { app, authentication } = microsoftTeams;
const TEAMS = "/api/integrations/teams";
const NOTIFICATION = "/api/v1/notification/notification";
const SHOWN = 50;
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const items = new Map();
let isInTeams = false;

function dress(theme) {
  document.documentElement.dataset.theme = theme;
}

// In Teams the token of the tab becomes a session; elsewhere the session of the browser gives a bearer.
async function enter() {
  try {
    await Promise.race([app.initialize(), new Promise((_, fail) => setTimeout(fail, 3000))]);
  } catch {
    dress(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "default");
    return signIn();
  }
  isInTeams = true;
  const context = await app.getContext();
  dress(context.app.theme);
  app.registerOnThemeChangeHandler(dress);
  bearersFrom(ofTeams);
  await signIn();
  app.notifySuccess();
}

async function ofTeams() {
  const bearer = await authentication.getAuthToken();
  return (await send("POST", `${TEAMS}/tab/session`, { bearer })).token;
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function moment(text) {
  const made = element("time", new Date(text).toLocaleString());
  made.dateTime = text;
  return made;
}

function show(notification, { first = false } = {}) {
  const entry = document.createElement("li");
  entry.className = notification.readAt ? "" : "unread";
  entry.append(element("strong", notification.title));
  if (!notification.readAt) {
    const button = element("button", "Mark read");
    button.type = "button";
    button.setAttribute("aria-label", `Mark read: ${notification.title}`);
    button.addEventListener("click", () => markRead(notification.id).then(focus, failed));
    entry.append(button);
  }
  if (notification.body) entry.append(element("p", notification.body));
  entry.append(moment(notification.createdAt));
  const old = items.get(notification.id);
  if (old) old.entry.replaceWith(entry);
  else if (first) page.notifications.prepend(entry);
  else page.notifications.append(entry);
  items.set(notification.id, { notification, entry });
  count();
  return entry;
}

function count() {
  const unread = [...items.values()].filter(({ notification }) => !notification.readAt).length;
  page["read-all"].hidden = unread === 0;
  page["no-notifications"].hidden = items.size > 0;
  document.title = unread ? `(${unread}) Rowgate` : "Rowgate";
}

function focus(entry) {
  entry.tabIndex = -1;
  entry.focus();
}

async function markRead(id) {
  return show(await call("PATCH", `${NOTIFICATION}/${id}`, { readAt: new Date().toISOString() }));
}

async function markAllRead() {
  for (const [id, { notification }] of items) if (!notification.readAt) await markRead(id);
}

function followNotifications(last) {
  follow({
    last,
    onNotification: (notification) => show(notification, { first: true }),
    onReset: () => reloadNotifications().catch(failed),
    onRefused: failed,
    onState: (text) => (page.state.textContent = text),
  });
}

/** Returns the place of the newest: the stream goes on from what is here, nothing may come in between. */
async function loadNotifications() {
  const { data } = await call("GET", `${NOTIFICATION}?take=${SHOWN}`);
  data.forEach((notification) => show(notification));
  count();
  return String(Math.max(0, ...data.map(({ sequence }) => sequence)));
}

function reloadNotifications() {
  items.clear();
  page.notifications.replaceChildren();
  return loadNotifications();
}

async function loadMeetings() {
  const { data } = await call("GET", "/api/teams/meetings?take=20");
  page["no-meetings"].hidden = data.length > 0;
  for (const meeting of data) {
    const entry = document.createElement("li");
    entry.append(element("strong", meeting.subject ?? "Meeting"), element("p", meeting.status, "soft"));
    if (meeting.startDateTime) entry.append(moment(meeting.startDateTime));
    if (meeting.joinWebUrl?.startsWith("https://")) {
      const link = element("a", "Join");
      link.href = meeting.joinWebUrl;
      link.target = "_blank";
      link.rel = "noopener";
      entry.append(link);
    }
    page.meetings.append(entry);
  }
}

async function loadPreferences() {
  const preferences = await call("GET", `${TEAMS}/notifications/preferences`);
  for (const input of page.preferences.querySelectorAll("input")) {
    const value = input.name.split(".").reduce((part, name) => part[name], preferences);
    if (input.type === "checkbox") input.checked = value;
    else input.value = value;
  }
}

async function savePreferences(event) {
  event.preventDefault();
  const body = {};
  for (const input of page.preferences.querySelectorAll("input")) {
    const value = input.type === "checkbox" ? input.checked : input.type === "number" ? input.valueAsNumber : input.value;
    const [name, inner] = input.name.split(".");
    if (inner) (body[name] ??= {})[inner] = value;
    else body[name] = value;
  }
  body.quietHours.timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    await call("PUT", `${TEAMS}/notifications/preferences`, body);
    page.saved.textContent = "Saved.";
  } catch (error) {
    page.saved.textContent = error.message;
  }
}

function failed(error) {
  const isStranger = error.signedOut && !isInTeams;
  page.state.textContent = isStranger ? "Sign in to the service first, or open this page in Microsoft Teams." : error.message;
}

async function begin() {
  await enter();
  page.preferences.addEventListener("submit", savePreferences);
  page["read-all"].addEventListener("click", () => markAllRead().catch(failed));
  loadMeetings().catch(failed);
  loadPreferences().catch((error) => (page.saved.textContent = error.message));
  // Where the list failed, all that it would have shown comes by the stream.
  followNotifications(await loadNotifications().catch(() => "0"));
}

begin().catch(failed);
