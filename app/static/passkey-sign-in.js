// Passkeys on the account pages: to sign in with, as a second factor, and to prove who one is once more. The pages work
// without this; their buttons are shown where the browser knows passkeys.

// The service forgets what it asked after five minutes.
const RENEWED = 4 * 60 * 1000;

async function send(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}

async function asked(challenge, more) {
  const options = await send("/api/auth/passkey/sign-in/options", challenge ? { challenge } : {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey, ...more })).toJSON();
}

// Whether the session is to outlast the browser: as the page says, or the switch on it.
const remember = (part) => document.querySelector("input[name=rememberMe]")?.checked ?? part.dataset.remember === "true";

async function prove(part, response) {
  const { challenge, next } = part.dataset;
  if (part.dataset.passkey === "confirm") {
    await send("/api/auth/reauthenticate", { response });
  } else {
    const outcome = await send("/api/auth/passkey/sign-in/verify", {
      response, rememberMe: remember(part), ...(challenge ? { challenge } : {}),
    });
    if (outcome.twoFactorRequired) return askForSecondFactor(part, outcome.challenge);
  }
  location.assign(next);
}

// A passkey that has not verified its user is one factor; a form takes the question to the page for the other.
function askForSecondFactor(part, challenge) {
  const form = document.getElementById("passkey-second-factor");
  form.elements.challenge.value = challenge;
  form.elements.remember.value = String(remember(part));
  form.submit();
}

// The list of addresses that the browser offers holds its passkeys too, while a question for one waits.
function offer(part, alert) {
  let waiting;
  const ask = async () => {
    waiting?.abort();
    const own = (waiting = new AbortController());
    try {
      const response = await asked("", { mediation: "conditional", signal: own.signal });
      prove(part, response).catch(() => (alert.hidden = false));
    } catch {
      // Whoever is offered a passkey and takes none has done nothing wrong.
    }
  };
  ask();
  const clock = setInterval(ask, RENEWED);
  return () => {
    clearInterval(clock);
    waiting?.abort();
  };
}

async function begin(part) {
  const button = part.querySelector("button");
  const alert = part.querySelector("[role=alert]");
  part.hidden = false;
  let stop = () => {};
  const offers = part.hasAttribute("data-offers") && (await PublicKeyCredential.isConditionalMediationAvailable?.());
  if (offers) stop = offer(part, alert);
  button.addEventListener("click", async () => {
    // One question at a time is what browsers allow.
    stop();
    alert.hidden = true;
    button.disabled = true;
    try {
      await prove(part, await asked(part.dataset.challenge));
    } catch {
      alert.hidden = false;
      button.disabled = false;
      button.focus();
    }
  });
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const part of document.querySelectorAll("[data-passkey]")) begin(part);
}
