// Calls of the public routes, with a bearer that this page alone has and gets anew when another page has replaced it.
let bearer, renewing, user;
let source = ofCookie;

/** A bearer of the browser's session. When somebody else has signed in meanwhile, the page begins anew as theirs. */
export async function ofCookie() {
  const { token } = await send("POST", "/api/auth/token");
  const session = await send("GET", "/api/auth/session", { bearer: token });
  // Another page has got a bearer at the same moment, and made this one dead.
  if (!session) return ofCookie();
  const isAnother = user !== undefined && user.id !== session.user.id;
  user = session.user;
  if (!isAnother) return token;
  location.reload();
  // What the earlier user began is not carried out.
  return new Promise(() => {});
}

/** Let bearers come from somewhere else than the cookie. */
export function bearersFrom(other) {
  source = other;
}

/** Get a bearer; calls that need one at the same time share it. An error that says nobody is signed in is marked. */
export function signIn() {
  const refused = (error) => {
    throw Object.assign(error, { signedOut: error.status === 401 });
  };
  const taken = (token) => {
    bearer = token;
  };
  renewing ??= source().then(taken, refused).finally(() => (renewing = undefined));
  return renewing;
}

export function forget() {
  bearer = user = undefined;
}

/** Whether whoever is signed in is a platform admin now. */
export async function isAdmin() {
  const { role } = await call("GET", `/api/v1/auth/user/${user.id}`);
  return role === "admin";
}

/** The id of whoever is signed in. */
export async function ownId() {
  user ??= (await call("GET", "/api/auth/session")).user;
  return user.id;
}

/** End the browser's session by its cookie: the bearer of this page may be dead. */
export async function signOut() {
  await send("POST", "/api/auth/signout");
  forget();
}

/** What the service answers; throws its error with the status. A dead bearer is replaced and the call made again. */
export async function call(method, path, body) {
  const used = bearer;
  try {
    return await send(method, path, { bearer: used, body });
  } catch (error) {
    if (error.status !== 401 || used === undefined) throw error;
  }
  if (bearer === used) await signIn();
  return send(method, path, { bearer, body });
}

/** One request, without a second try. */
export async function send(method, path, { bearer, body } = {}) {
  const headers = bearer ? { Authorization: `Bearer ${bearer}` } : {};
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers, body: isForm ? body : body && JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const fields = fieldsOf(answer.details);
  // The error's own sentence repeats the first of them.
  const told = fields.map(([name, said]) => `${name}: ${said}`).join(" ");
  const error = new Error(told || (answer.error ?? answer.message ?? response.statusText));
  throw Object.assign(error, { status: response.status, fields });
}

/** What is wrong with which field, in either of the shapes that errors have. */
function fieldsOf(details) {
  if (Array.isArray(details)) return details.map(({ field, message }) => [field, message]);
  const fields = Object.entries(details?.fields ?? details ?? {}).filter(([, said]) => Array.isArray(said));
  return fields.map(([name, said]) => [name, said.join(" ")]);
}
