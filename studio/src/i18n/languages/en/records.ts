/** Words of records: shown, edited, related. */
export const records = {
  record: {
    about: "About this record",
    more: "More",
    new: "New: %{model}", edit: "Edit", save: "Save", cancel: "Cancel", delete: "Delete", duplicate: "Duplicate", deleted: "%{record} is deleted.",
    saved: "Saved", created: "%{record} is there.", related: "Related", empty: "Empty",
    draft: "You have unsaved changes here, from %{when}.", restore: "Restore", discard: "Discard", print: "Print", copy_id: "Copy the ID", show_all: "Show all %{models}",
    history: "Created %{created}, changed %{updated}", required_fields: "Fields with an asterisk are required.", optional: "More fields",
    moves: "Move to", secret: "Kept secret: what you enter replaces it.", confirm_delete: "Delete %{record}?",
    welcome: "This person gets a mail with a link, good for seven days, by which they choose their password.",
    create_option: "New: “%{words}”",
  },
  conflict: {
    title: "Somebody else has changed this record", text: "Choose for each field what counts. Fields that only one side changed are settled already.",
    field: "Field", yours: "Yours", theirs: "Stored now", save: "Save this", reload: "Drop mine, and show what is stored", gone: "The record was deleted meanwhile.",
  },
  input: {
    json_invalid: "This is not JSON: %{message}", json_object: "This has to be an object, in braces.", json_array: "This has to be a list, in brackets.", format: "Format",
    write: "Write", preview: "Preview", markdown: "Markdown", nothing: "Nothing to preview", file_choose: "Choose a file", file_drop: "or drop one here",
    file_bound: "At most %{size}.", file_large: "This file is larger than files may be: at most %{size}.", file_empty: "This file is empty.", file_type: "Choose a file of one of these types: %{types}.", file_remove: "Remove the file",
    file_bucket: "Files of more than 512 KiB go to the default bucket: leave the bucket empty.",
    uploading: "Uploading: %{percent} %", list_add: "Enter adds a value",
    email: "This is no e-mail address.", url: "This is no address: it begins with https:// or http://", pattern: "This does not have the form it should have.",
    long: "%{count} of %{max} characters", yes: "Yes", no: "No", any: "Any", unset: "Not set", amount: "Amount in %{currency}",
    vector: "%{count} numbers", zone: "Times are those of %{zone}.",
    duration: "Such as 1:30, 1h 30m or 2 days", currency: "Currency", lat: "Latitude", color: "Such as #0a7d5c", pick: "Pick a color", lng: "Longitude", km: "Within km",
    no_color: "This is no color: enter one such as #0a7d5c.", no_decimal: "This is no number.", no_duration: "This is no duration: enter 1:30, 1h 30m or 2 days.", no_point: "Latitude and longitude are numbers, such as 52.52 and 13.405.",
    scale: "At most %{count} digits behind the point",
  },
};
