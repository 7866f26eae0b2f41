// The dialog over one record, or a new one.
import { call } from "../api.js";
import { h, say } from "../elements.js";
import { forgetErrors, sayAtFields } from "./errors.js";
import { field } from "./fields.js";

/** Only what was changed is sent; `done` is called when something was. */
export function edit(page, model, record, done) {
  const known = (record ? model.update : model.create) ?? [];
  const fields = known.map(({ name, about, required }) => field(name, about, record?.[name], !record && required));
  const name = record ? `${model.name} ${record.name ?? record.title ?? record.id}` : `New ${model.name}`;
  const changes = () => fields.filter(({ changed }) => changed());
  const { dialog, trying, close } = opened(page, name, () => changes().length > 0, done);
  const save = trying(() => {
    const changed = Object.fromEntries(changes().map(({ name, read }) => [name, read()]));
    return call(record ? "PATCH" : "POST", record ? `${model.path}/${record.id}` : model.path, changed);
  }, "Saved.");
  const remove = trying(() => confirm("Delete this record?") && call("DELETE", `${model.path}/${record.id}`), "Deleted.");

  fill(dialog, save, fields.map(({ label }) => label), [
    fields.length ? h("button", {}, "Save") : null,
    record && model.canDelete ? button("Delete", remove) : null,
    button("Close", close)]);
  const text = h("pre", { className: "scroll" }, JSON.stringify(record, null, 2));
  if (record) dialog.append(h("details", {}, h("summary", {}, "As JSON"), text));
}

/** A file to upload. */
export function upload(page, done) {
  const file = h("input", { type: "file", name: "file", required: true });
  const { dialog, trying, close } = opened(page, "New upload", () => file.files.length > 0, done);
  const send = trying((form) => call("POST", "/api/upload", new FormData(form)), "Uploaded.");
  fill(dialog, send, [h("label", {}, "File", file)], [h("button", {}, "Upload"), button("Close", close)]);
}

/** An empty modal dialog. Whoever closes it with something in it is asked. */
function opened(page, name, isChanged, done) {
  const dialog = h("dialog", { ariaLabel: name, onclose: () => dialog.remove() });
  const close = (event) => {
    event.preventDefault();
    if (!isChanged() || confirm("Discard what you have entered?")) dialog.close();
  };
  dialog.addEventListener("cancel", close);
  // A second Escape would close the dialog without a question.
  dialog.addEventListener("keydown", (event) => event.key === "Escape" && close(event));

  /** Failures are said here: the page behind a modal dialog is neither seen nor read aloud. */
  let isTrying = false;
  const trying = (action, said) => async (event) => {
    event.preventDefault();
    if (isTrying) return;
    isTrying = true;
    const form = dialog.querySelector("form");
    const alert = dialog.querySelector("[role=alert]");
    alert.textContent = "";
    forgetErrors(form);
    try {
      if ((await action(form)) === false) return;
    } catch (error) {
      alert.textContent = sayAtFields(form, error);
      if (error.signedOut) throw error;
      return;
    } finally {
      isTrying = false;
    }
    dialog.close();
    say(said);
    await done();
  };
  page.append(dialog);
  dialog.showModal();
  return { dialog, trying, close };
}

function fill(dialog, onsubmit, labels, buttons) {
  const alert = h("p", { role: "alert" });
  dialog.append(h("form", { onsubmit }, ...labels, alert, h("div", { className: "row" }, ...buttons)));
  dialog.querySelector("input, select, textarea, button").focus();
}

function button(name, onclick) {
  return h("button", { type: "button", className: "quiet", onclick }, name);
}
