// The question for a second factor, on whatever page somebody signs in.
import { send } from "./api.js";
import { h } from "./elements.js";

const RECOVERY_LENGTH = 10;

/** Ask for a code in `place` until one is right; what comes back is the answer to the sign-in. */
export function askForCode({ challenge }, place) {
  return new Promise((resolve) => {
    const input = h("input", { name: "code", autocomplete: "one-time-code", required: true, maxLength: 40 });
    const said = h("p", { role: "alert" });
    const answer = async (event) => {
      event.preventDefault();
      const code = input.value.replace(/[\s-]/g, "");
      const kind = code.length === RECOVERY_LENGTH ? "recoveryCode" : "code";
      said.textContent = "";
      try {
        resolve(await send("POST", "/api/auth/two-factor/challenge", { body: { challenge, [kind]: code } }));
      } catch (error) {
        said.textContent = error.message;
        input.select();
      }
    };
    const label = h("label", {}, "Code of your authenticator, or a recovery code ", input);
    const title = h("h2", {}, "Second factor");
    place.replaceChildren(h("form", { className: "card narrow", onsubmit: answer }, title, label, h("button", {}, "Go on"), said));
    input.focus();
  });
}
