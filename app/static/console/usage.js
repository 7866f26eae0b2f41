// How much a key was used, as bars.
const SVG = "http://www.w3.org/2000/svg";

/** Bars of requests a day; the text says the same. */
export function plot(points) {
  const most = Math.max(0, ...points.map(({ requests }) => requests));
  const total = points.reduce((sum, { requests }) => sum + requests, 0);
  const said = `${total} requests in ${points.length} days, at most ${most} a day`;
  const svg = drawn("svg", { viewBox: `0 0 ${points.length} 1`, preserveAspectRatio: "none", role: "img", "aria-label": said });
  svg.append(...points.map((point, place) => bar(point, place, point.requests / Math.max(1, most))));
  const caption = document.createElement("figcaption");
  caption.className = "soft";
  caption.textContent = said;
  const figure = document.createElement("figure");
  figure.append(svg, caption);
  return figure;
}

function bar({ time, requests }, place, height) {
  const made = drawn("rect", { x: place + 0.1, width: 0.8, y: 1 - height, height });
  const title = drawn("title");
  // A bucket is a day in UTC: in the zone of the user it would begin on the day before.
  title.textContent = `${new Date(time).toLocaleDateString(undefined, { timeZone: "UTC" })}: ${requests}`;
  made.append(title);
  return made;
}

function drawn(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
