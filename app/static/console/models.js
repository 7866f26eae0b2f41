// Models by domain, as the description of the API lists them.
import { modelPaths } from "./description.js";
import { h } from "../elements.js";
import { KEYS } from "./keys.js";

export async function showModels(page) {
  const domains = Map.groupBy(await modelPaths(), (path) => path.split("/")[3]);
  const sections = [...domains].map(([domain, paths]) =>
    h("section", { className: "card" }, h("h2", {}, domain), h("ul", { className: "models" }, ...paths.map(link))));
  page.append(...sections);
}

function link(path) {
  const [domain, ...name] = path.split("/").slice(3);
  // Keys have a page of their own: their secrets are shown there.
  return h("li", {}, h("a", { href: path === KEYS ? "#/keys" : `#/models${path}` }, name.join("/") || domain));
}
