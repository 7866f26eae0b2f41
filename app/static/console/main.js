// The console: who is there, and which of its pages is shown.
import { call, forget, signIn, signOut } from "../api.js";
import { guarded, h, keepFocus, onFailure, say } from "../elements.js";
import { forgetErrors, sayAtFields } from "./errors.js";
import { showKeys } from "./keys.js";
import { showModels } from "./models.js";
import { showNotifications } from "./notifications.js";
import { showRecords } from "./records.js";
import { askForCode } from "../second-factor.js";

const view = document.getElementById("view");
const nav = document.getElementById("nav");
let current, leave;

function showSignIn() {
  turnTo(undefined);
  forget();
  nav.hidden = true;
  const late = document.getElementById("late");
  late.replaceWith(late.cloneNode());
  view.replaceChildren(document.getElementById("sign-in").content.cloneNode(true));
  const form = view.querySelector("form");
  form.addEventListener("submit", guarded(async (event) => {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(form));
    say("");
    forgetErrors(form);
    const answer = await call("POST", "/api/auth/signin", { email, password }).catch((error) => {
      throw Object.assign(error, { message: sayAtFields(form, error) });
    });
    if (answer.twoFactorRequired) await askForCode(answer, view);
    await begin();
  }));
  for (const button of form.querySelectorAll("[data-provider]"))
    button.addEventListener("click", guarded(async () => {
      const back = { callbackURL: "/console", errorCallbackURL: "/console" };
      location.href = (await call("POST", `/api/auth/oauth/${button.dataset.provider}`, back)).url;
    }));
}

/** End the page that is shown: what it still waits for is dropped. */
function turnTo(page) {
  leave?.();
  leave = undefined;
  current = page;
}

function render(page, place) {
  if (place.startsWith("/models/")) return showRecords(page, place.slice("/models".length));
  if (place === "/models") return showModels(page);
  if (place === "/notifications") return showNotifications(page, failed);
  return showKeys(page);
}

async function show() {
  const page = h("div");
  turnTo(page);
  const place = location.hash.slice(1) || "/keys";
  for (const link of nav.querySelectorAll("a")) {
    if (place.startsWith(link.hash.slice(1))) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const left = await render(page, place).catch((error) => {
    if (current !== page) return;
    view.replaceChildren();
    throw error;
  });
  if (current !== page) return left?.();
  leave = left;
  view.replaceChildren(page);
  keepFocus(page);
}

async function begin() {
  say("");
  try {
    await signIn();
  } catch (error) {
    if (error.signedOut) return showSignIn();
    throw error;
  }
  nav.hidden = false;
  await show();
}

function failed(error) {
  say(error.message);
  if (error.signedOut) showSignIn();
}

onFailure(failed);
addEventListener("hashchange", guarded(async () => {
  if (nav.hidden) return;
  say("");
  await show();
}));
document.getElementById("sign-out").addEventListener("click", guarded(async () => {
  await signOut();
  showSignIn();
}));
begin().catch(failed).then(() => {
  const refused = new URLSearchParams(location.search).get("error");
  if (refused === null) return;
  history.replaceState(null, "", location.pathname + location.hash);
  if (/^\w{1,40}$/.test(refused)) say(`Sign-in was refused: ${refused}`);
});
