// Calls of the public routes, with the bearer of the browser's session; and elements made from what they answer.
let token;

export function forget() {
  token = undefined;
}

/** Whether the browser has a session; its bearer is kept by this page alone. */
export async function resume() {
  const response = await fetch("/api/auth/token", { method: "POST" });
  if (response.ok) token = (await response.json()).token;
  return response.ok;
}

export async function call(method, path, body) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const told = fieldsOf(answer.details).map(([name, said]) => `${name}: ${said}`).join("; ");
  const error = new Error([answer.error ?? answer.message ?? response.statusText, told].filter(Boolean).join(". "));
  throw Object.assign(error, { status: response.status });
}

/** What is wrong with which field, in either of the shapes that errors have. */
function fieldsOf(details) {
  if (Array.isArray(details)) return details.map(({ field, message }) => [field, message]);
  const fields = Object.entries(details?.fields ?? details ?? {}).filter(([, said]) => Array.isArray(said));
  return fields.map(([name, said]) => [name, said.join(" ")]);
}

/** An element; texts are texts, whatever they hold. Properties that begin with "on" are listeners. */
export function h(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), guarded(value));
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Say something to the user, in a place that is read aloud. */
export function say(text) {
  document.getElementById("message").textContent = text;
}

export function guarded(action) {
  return (event) => Promise.resolve(action(event)).catch((error) => say(error.message));
}
