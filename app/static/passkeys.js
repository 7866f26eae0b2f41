// Makes a passkey on the page of security. The rest of the page works without this.
const form = document.getElementById("new-passkey");
const said = form.querySelector("[role=alert]");
const button = form.querySelector("button");
const NAMES = { InvalidStateError: "exists", NotAllowedError: "left", AbortError: "left" };

/** What a JSON route answers; throws its error, with its code as name. */
async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error), { name: answer.code });
  return answer;
}

async function make(name) {
  const options = await post("/api/auth/passkey/register/options");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const made = await navigator.credentials.create({ publicKey });
  await post("/api/auth/passkey/register/verify", { name, response: made.toJSON() });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  said.textContent = "";
  button.disabled = true;
  try {
    await make(form.elements.name.value.trim() || undefined);
    location.assign(form.dataset.back);
  } catch (error) {
    if (error.name === "REAUTHENTICATION_REQUIRED") return location.assign(form.dataset.proof);
    const kind = NAMES[error.name] ?? "failed";
    said.textContent = form.querySelector(`[data-says=${kind}]`).content.textContent;
    button.disabled = false;
  }
});

const isAble = window.PublicKeyCredential?.parseCreationOptionsFromJSON !== undefined;
form.hidden = !isAble;
document.getElementById("no-passkey").hidden = isAble;
