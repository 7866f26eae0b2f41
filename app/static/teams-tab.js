"use strict";

// The tab: signs in silently, shows notifications as they happen, meetings, and how one is notified.
const { app, authentication } = microsoftTeams;
const TEAMS = "/api/integrations/teams";
const NOTIFICATION = "/api/v1/notification/notification";
const SHOWN = 50;
const AGAIN_AFTER = 3000;
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const items = new Map();
let token, last;

async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

function dress(theme) {
  document.documentElement.dataset.theme = theme;
}

// In Teams the token of the tab becomes a session; elsewhere the session of the browser gives a bearer.
async function signIn() {
  try {
    await Promise.race([app.initialize(), new Promise((_, fail) => setTimeout(fail, 3000))]);
  } catch {
    dress(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "default");
    const response = await fetch("/api/auth/token", { method: "POST" });
    if (!response.ok) throw new Error("Sign in to the service first, or open this page in Microsoft Teams.");
    token = (await response.json()).token;
    return;
  }
  const context = await app.getContext();
  dress(context.app.theme);
  app.registerOnThemeChangeHandler(dress);
  const sent = { Authorization: `Bearer ${await authentication.getAuthToken()}` };
  const response = await fetch(`${TEAMS}/tab/session`, { method: "POST", headers: sent });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  token = answer.token;
  app.notifySuccess();
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
    button.addEventListener("click", () => markRead(notification.id));
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
}

function count() {
  const unread = [...items.values()].filter(({ notification }) => !notification.readAt).length;
  page["read-all"].hidden = unread === 0;
  page["no-notifications"].hidden = items.size > 0;
  document.title = unread ? `(${unread}) Rowgate` : "Rowgate";
}

async function markRead(id) {
  show(await call("PATCH", `${NOTIFICATION}/${id}`, { readAt: new Date().toISOString() }));
}

async function markAllRead() {
  for (const [id, { notification }] of items) if (!notification.readAt) await markRead(id);
}

// A ticket opens the stream once, so that a stream that broke is opened anew with the last event that came.
async function follow() {
  const again = () => setTimeout(() => follow().catch(failed), AGAIN_AFTER);
  let ticket;
  try {
    ticket = await call("POST", `${TEAMS}/notifications/stream/ticket`);
  } catch (error) {
    failed(error);
    if (error.status === 401) await signIn().catch(failed);
    again();
    return;
  }
  const query = new URLSearchParams({ token: ticket.token, ...(last && { lastEventId: last }) });
  const source = new EventSource(`${TEAMS}/notifications/stream?${query}`);
  const end = () => {
    source.close();
    page.state.textContent = "Reconnecting…";
    again();
  };
  source.addEventListener("ready", (event) => {
    last = event.lastEventId;
    page.state.textContent = "Live";
  });
  source.addEventListener("reset", () => loadNotifications().catch(failed));
  source.addEventListener("bye", end);
  source.onerror = end;
  source.onmessage = (event) => {
    last = event.lastEventId;
    show(JSON.parse(event.data), { first: true });
  };
}

async function loadNotifications() {
  const { data } = await call("GET", `${NOTIFICATION}?take=${SHOWN}`);
  data.forEach((notification) => show(notification));
  // The stream goes on from what is here: nothing may come in between.
  last = String(Math.max(0, Number(last ?? 0), ...data.map(({ sequence }) => sequence)));
  count();
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
  page.state.textContent = error.message;
}

async function begin() {
  await signIn();
  page.preferences.addEventListener("submit", savePreferences);
  page["read-all"].addEventListener("click", () => markAllRead().catch(failed));
  await Promise.all([loadNotifications(), loadMeetings(), loadPreferences()]);
  await follow();
}

begin().catch(failed);
