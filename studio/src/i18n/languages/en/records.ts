/** Words of records: shown, edited, related. */
export const records = {
  record: {
    new: "New: %{model}", edit: "Edit", save: "Save", cancel: "Cancel", delete: "Delete", duplicate: "Duplicate", deleted: "%{record} is deleted.", undo: "Undo",
    undone: "Nothing was deleted.", saved: "Saved", created: "%{record} is there.", details: "Details", related: "Related", more: "More about it", none: "None", empty: "Empty",
    unchanged: "Nothing has changed", leave: "Leave without saving?", leave_text: "What you have changed here is not saved.", stay: "Stay", go: "Leave",
    draft: "You have unsaved changes here, from %{when}.", restore: "Restore", discard: "Discard", copy_id: "Copy the ID", show_all: "Show all %{models}", add: "New: %{model}",
    history: "Created %{created}, changed %{updated}", required_fields: "Fields with an asterisk are required.", optional: "More fields", again: "Save, and another one",
    moves: "Move to", readonly: "Set by the service", secret: "Kept secret: what you enter replaces it.", confirm_delete: "Delete %{record}?", pick: "Choose %{model}",
    create_option: "New: “%{words}”", remove: "Remove",
  },
  conflict: {
    title: "Somebody else has changed this record", text: "Choose for each field what counts. Fields that only one side changed are settled already.",
    field: "Field", yours: "Yours", theirs: "Stored now", save: "Save this", reload: "Drop mine, and show what is stored", gone: "The record was deleted meanwhile.",
  },
  input: {
    json_invalid: "This is not JSON: %{message}", json_object: "This has to be an object, in braces.", json_array: "This has to be a list, in brackets.", format: "Format",
    write: "Write", preview: "Preview", markdown: "Markdown", nothing: "Nothing to preview", file_choose: "Choose a file", file_drop: "or drop one here",
    file_large: "The file is larger than %{size}.", file_remove: "Remove the file", uploading: "Uploading: %{percent} %", list_add: "Enter adds a value",
    minutes: "min", seconds: "s", email: "This is no e-mail address.", url: "This is no address: it begins with https:// or http://", pattern: "This does not have the form it should have.",
    long: "%{count} of %{max} characters", yes: "Yes", no: "No", any: "Any", unset: "Not set", amount: "Amount in %{currency}", open_file: "Open the file",
    vector: "%{count} numbers", zone: "Times are those of %{zone}.", currency: "Currency",
  },
};
