// What is wrong with a form, said at its fields.
import { h } from "../elements.js";

/** Say at each field what is wrong with it, until it is changed; gives what is about no field of the form. */
export function sayAtFields(form, error) {
  forgetErrors(form);
  const apart = [];
  let first;
  for (const [name, text] of error.fields ?? []) {
    const control = form.elements.namedItem(name);
    if (control) mark(control, text);
    else apart.push(`${name}: ${text}`);
    first ??= control;
  }
  first?.focus();
  return error.fields?.length ? apart.join(" ") : error.message;
}

/** Take back what was said at the fields. */
export function forgetErrors(form) {
  for (const control of form.querySelectorAll("[aria-invalid]")) unmark(control);
}

function mark(control, text) {
  const said = h("span", { className: "error", id: `wrong-${control.name}` }, text);
  // Within its label it would be part of the name.
  (control.closest("label") ?? control).after(said);
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", said.id);
  control.addEventListener("input", () => unmark(control), { once: true });
}

function unmark(control) {
  document.getElementById(`wrong-${control.name}`)?.remove();
  control.removeAttribute("aria-invalid");
  control.removeAttribute("aria-describedby");
}
