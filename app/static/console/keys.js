// Keys: made, shown once, revoked, and how much each is used.
import { call, h, say } from "./api.js";

const KEYS = "/api/v1/auth/api-key";

export async function showKeys(view) {
  const { data } = await call("GET", `${KEYS}?take=200`);
  const secret = h("div", { role: "alert" });
  const rows = data.map((key) => row(key, view));
  const head = ["Name", "Begins with", "Scopes", "Status", "Last used", "Expires", ""].map((name) => h("th", { scope: "col" }, name));
  view.replaceChildren(
    h("section", { className: "card" }, h("h2", {}, "Make a key"), form(view, secret), secret),
    h("section", { className: "card" }, h("h2", {}, "Keys"),
      data.length ? h("div", { className: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)))
        : h("p", { className: "soft" }, "No keys yet.")),
  );
}

function form(view, secret) {
  const name = h("input", { name: "name", required: true, maxLength: 100 });
  const write = h("input", { type: "checkbox", name: "write" });
  const make = async (event) => {
    event.preventDefault();
    const scopes = write.checked ? ["read", "write"] : ["read"];
    const made = await call("POST", KEYS, { name: name.value, scopes });
    await showKeys(view);
    const shown = h("code", {}, made.key);
    const copy = h("button", { type: "button", onclick: () => navigator.clipboard.writeText(made.key).then(() => say("Copied.")) }, "Copy");
    const place = view.querySelector("[role=alert]");
    place.replaceChildren(h("p", { className: "card secret" }, "Shown once, keep it: ", shown, " ", copy));
    copy.focus();
  };
  return h("form", { className: "row", onsubmit: make },
    h("label", {}, "Name ", name), h("label", {}, write, " may write"), h("button", {}, "Make a key"));
}

function row(key, view) {
  const revoke = async () => {
    if (!confirm(`Revoke ${key.name}? Whoever uses it is refused from now on.`)) return;
    await call("DELETE", `${KEYS}/${key.id}`);
    say(`${key.name} is revoked.`);
    await showKeys(view);
  };
  const use = async (event) => {
    const open = event.target.closest("tr").nextElementSibling;
    if (open?.dataset.use === key.id) return open.remove();
    const { data } = await call("GET", `${KEYS}/${key.id}/usage?interval=day`);
    const cell = h("td", { colSpan: 7 }, plot(data));
    const made = h("tr", {}, cell);
    made.dataset.use = key.id;
    event.target.closest("tr").after(made);
  };
  const cells = [key.name, key.start, key.scopes.join(", "), key.status, day(key.lastUsedAt), day(key.expiresAt)];
  return h("tr", {}, ...cells.map((text) => h("td", {}, text ?? "")),
    h("td", { className: "row" },
      h("button", { type: "button", className: "quiet", onclick: use, "aria-label": `Use of ${key.name}` }, "Use"),
      h("button", { type: "button", className: "quiet", onclick: revoke, "aria-label": `Revoke ${key.name}` }, "Revoke")));
}

function day(text) {
  return text ? new Date(text).toLocaleDateString() : "never";
}

/** Bars of requests a day; the text says the same. */
function plot(points) {
  const most = Math.max(1, ...points.map((point) => point.requests));
  const total = points.reduce((sum, point) => sum + point.requests, 0);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const said = `${total} requests in ${points.length} days, at most ${Math.max(0, ...points.map(({ requests }) => requests))} a day`;
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${points.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": said }))
    svg.setAttribute(name, value);
  points.forEach((point, place) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const height = point.requests / most;
    for (const [name, value] of Object.entries({ x: place + 0.1, width: 0.8, y: 1 - height, height })) bar.setAttribute(name, value);
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = `${day(point.time)}: ${point.requests}`;
    bar.append(title);
    svg.append(bar);
  });
  return h("figure", {}, svg, h("figcaption", { className: "soft" }, said));
}
