// The dialog over one record, or a new one.
import { call } from "../api.js";
import { h, say } from "../elements.js";
import { field } from "./fields.js";

/** Only what was changed is sent; `done` is called when something was. */
export function edit(page, model, record, done) {
  const known = (record ? model.update : model.create) ?? [];
  const fields = known.map(({ name, about, required }) => field(name, about, record?.[name], !record && required));
  const alert = h("p", { role: "alert" });
  const dialog = h("dialog", { ariaLabel: record ? "Record" : "New record", onclose: () => dialog.remove() });

  /** Failures are said here: the page behind a modal dialog is neither seen nor read aloud. */
  let isTrying = false;
  const trying = (action, said) => async (event) => {
    event.preventDefault();
    if (isTrying) return;
    isTrying = true;
    try {
      if ((await action()) === false) return;
    } catch (error) {
      alert.textContent = error.message;
      if (error.signedOut) throw error;
      return;
    } finally {
      isTrying = false;
    }
    dialog.close();
    say(said);
    await done();
  };
  const save = trying(() => {
    const changed = Object.fromEntries(fields.filter(({ changed }) => changed()).map(({ name, read }) => [name, read()]));
    return call(record ? "PATCH" : "POST", record ? `${model.path}/${record.id}` : model.path, changed);
  }, "Saved.");
  const remove = trying(() => confirm("Delete this record?") && call("DELETE", `${model.path}/${record.id}`), "Deleted.");

  const button = (name, onclick) => h("button", { type: "button", className: "quiet", onclick }, name);
  dialog.append(h("form", { onsubmit: save }, ...fields.map(({ label }) => label), alert, h("div", { className: "row" },
    fields.length ? h("button", {}, "Save") : null,
    record && model.canDelete ? button("Delete", remove) : null,
    button("Close", () => dialog.close()))));
  const text = h("pre", { className: "scroll" }, JSON.stringify(record, null, 2));
  if (record) dialog.append(h("details", {}, h("summary", {}, "As JSON"), text));
  page.append(dialog);
  dialog.showModal();
}
