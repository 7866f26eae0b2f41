// Keys: made, shown once, revoked, and how much each is used.
import { call } from "../api.js";
import { guarded, h, keepFocus, say } from "../elements.js";
import { plot } from "./usage.js";

export const KEYS = "/api/v1/auth/api-key";
const HEAD = ["Name", "Begins with", "Scopes", "Status", "Last used", "Expires", ""];

/** Returns what ends the page. */
export async function showKeys(page) {
  let isLeft = false;
  const list = h("div");
  const refresh = async () => {
    const { data } = await call("GET", `${KEYS}?take=200`);
    list.replaceChildren(data.length ? table(data, refresh) : h("p", { className: "soft" }, "No keys yet."));
    keepFocus(page);
  };
  await refresh();
  page.append(
    h("section", { className: "card" }, h("h2", {}, "Make a key"), ...maker(refresh, () => isLeft)),
    h("section", { className: "card" }, h("h2", {}, "Keys"), list),
  );
  return () => {
    isLeft = true;
  };
}

/** The form, and the place of the secrets, which stay there whatever happens to the list. */
function maker(refresh, isLeft) {
  const name = h("input", { name: "name", required: true, maxLength: 100 });
  const write = h("input", { type: "checkbox", name: "write" });
  const button = h("button", {}, "Make a key");
  const secrets = h("div", { role: "alert" });
  // Of whoever is signed in now: it goes when they sign out.
  const late = document.getElementById("late");
  const make = async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const made = await call("POST", KEYS, { name: name.value, scopes: write.checked ? ["read", "write"] : ["read"] });
      const shown = shownOnce(made);
      // Whoever has left the page meanwhile sees the secret above the others.
      if (isLeft()) late.append(h("div", { role: "alert" }, shown));
      else secrets.append(shown);
      shown.querySelector("button").focus();
    } finally {
      button.disabled = false;
    }
    form.reset();
    await refresh();
  };
  const form = h("form", { className: "row", onsubmit: make },
    h("label", {}, "Name ", name), h("label", {}, write, " may write"), button);
  return [form, secrets];
}

function shownOnce(made) {
  const secret = h("code", {}, made.key);
  const copy = async () => {
    // Browsers have no clipboard for pages that come over plain http.
    if (!navigator.clipboard) {
      getSelection().selectAllChildren(secret);
      return say("The key is selected: copy it with the keyboard.");
    }
    await navigator.clipboard.writeText(made.key);
    say("Copied.");
  };
  return h("p", { className: "card secret" }, `${made.name}, shown once, keep it: `, secret, " ",
    h("button", { type: "button", onclick: copy, "aria-label": `Copy ${made.name}` }, "Copy"));
}

function table(keys, refresh) {
  const head = HEAD.map((name) => h("th", { scope: "col" }, name));
  return h("div", { className: "scroll" },
    h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...keys.map((key) => row(key, refresh)))));
}

function row(key, refresh) {
  const revoke = async () => {
    if (!confirm(`Revoke ${key.name}? Whoever uses it is refused from now on.`)) return;
    await call("DELETE", `${KEYS}/${key.id}`);
    say(`${key.name} is revoked.`);
    await refresh();
  };
  const use = h("button", { type: "button", className: "quiet", ariaExpanded: "false", "aria-label": `Use of ${key.name}` }, "Use");
  const cells = [key.name, key.start, key.scopes.join(", "), key.status, day(key.lastUsedAt), day(key.expiresAt)];
  const made = h("tr", {}, ...cells.map((text) => h("td", { title: text ?? "" }, text ?? "")),
    h("td", {}, h("div", { className: "row" }, use,
      h("button", { type: "button", className: "quiet", onclick: revoke, "aria-label": `Revoke ${key.name}` }, "Revoke"))));
  use.addEventListener("click", unfolding(use, made, key));
  return made;
}

/** Shows the use of a key below its row, and hides it again. */
function unfolding(button, row, key) {
  let shown;
  return guarded(async () => {
    if (shown) {
      shown.remove();
      shown = undefined;
    } else {
      const { data } = await call("GET", `${KEYS}/${key.id}/usage?interval=day`);
      shown?.remove();
      shown = h("tr", {}, h("td", { colSpan: HEAD.length }, plot(data)));
      row.after(shown);
    }
    button.ariaExpanded = String(Boolean(shown));
  });
}

function day(text) {
  return text ? new Date(text).toLocaleDateString() : "never";
}
