// The console: who is there, and which of its pages is shown.
import { call, forget, guarded, resume, say } from "./api.js";
import { showKeys } from "./keys.js";
import { showModels, showRecords } from "./models.js";
import { showNotifications, stop } from "./notifications.js";

const view = document.getElementById("view");
const nav = document.getElementById("nav");

function showSignIn() {
  nav.hidden = true;
  view.replaceChildren(document.getElementById("sign-in").content.cloneNode(true));
  const form = view.querySelector("form");
  form.addEventListener("submit", guarded(async (event) => {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(form));
    await call("POST", `/api/auth/${event.submitter?.value ?? "signin"}`, { email, password });
    await begin();
  }));
  for (const button of form.querySelectorAll("[data-provider]"))
    button.addEventListener("click", guarded(async () => {
      const back = { callbackURL: "/console", errorCallbackURL: "/console" };
      location.href = (await call("POST", `/api/auth/oauth/${button.dataset.provider}`, back)).url;
    }));
}

async function show() {
  stop();
  const place = location.hash.slice(1) || "/keys";
  for (const link of nav.querySelectorAll("a")) {
    if (place.startsWith(link.hash.slice(1))) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (place.startsWith("/models/")) await showRecords(view, place.slice("/models".length));
  else if (place === "/models") await showModels(view);
  else if (place === "/notifications") await showNotifications(view);
  else await showKeys(view);
}

async function begin() {
  say("");
  if (!(await resume())) return showSignIn();
  nav.hidden = false;
  await show();
}

const failed = (error) => {
  say(error.message);
  if (error.status === 401) showSignIn();
};
addEventListener("hashchange", () => (say(""), show().catch(failed)));
document.getElementById("sign-out").addEventListener("click", guarded(async () => {
  stop();
  await call("POST", "/api/auth/signout");
  forget();
  showSignIn();
}));
begin().catch(failed).then(() => {
  const refused = new URLSearchParams(location.search).get("error");
  if (refused) say(`Sign-in was refused: ${refused}`);
});
