// The tab: signs in silently, shows notifications as they happen, meetings, and how one is notified.
import { bearersFrom, call, send, signIn } from "./api.js";
import { guarded, h, onFailure } from "./elements.js";
import { moment, NotificationList } from "./notifications.js";
import { askForCode } from "./second-factor.js";

// TeamsJS is a classic script before this one.
const { app, authentication } = microsoftTeams;
const TEAMS = "/api/integrations/teams";
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
const notifications = new NotificationList(page.notifications, count);
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
  const answer = await send("POST", `${TEAMS}/tab/session`, { bearer });
  if (!answer.twoFactorRequired) return answer.token;
  // Teams waits for the page to say that it is there, not for its user.
  app.notifySuccess();
  page.state.textContent = "";
  const { token } = await askForCode(answer, page["second-factor"]);
  page["second-factor"].replaceChildren();
  return token;
}

function count(all, unread) {
  page["read-all"].hidden = unread === 0;
  page["no-notifications"].hidden = all > 0;
  document.title = unread ? `(${unread}) Rowgate` : "Rowgate";
}

async function loadMeetings() {
  const { data } = await call("GET", "/api/teams/meetings?take=20");
  page["no-meetings"].hidden = data.length > 0;
  for (const { subject, status, startDateTime, joinWebUrl } of data) {
    const canJoin = joinWebUrl?.startsWith("https://");
    page.meetings.append(
      h(
        "li",
        {},
        h("strong", {}, subject ?? "Meeting"),
        h("p", { className: "soft" }, status),
        startDateTime ? moment(startDateTime) : null,
        canJoin ? h("a", { href: joinWebUrl, target: "_blank", rel: "noopener" }, "Join") : null,
      ),
    );
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
  page["read-all"].addEventListener("click", guarded(() => notifications.markAllRead()));
  loadMeetings().catch(failed);
  loadPreferences().catch((error) => (page.saved.textContent = error.message));
  // Where the list failed, all that it would have shown comes by the stream.
  const last = await notifications.load().catch(() => "0");
  notifications.follow(last, { onRefused: failed, onState: (text) => (page.state.textContent = text) });
}

onFailure(failed);
begin().catch(failed);
