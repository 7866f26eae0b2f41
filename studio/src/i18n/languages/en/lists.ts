/** Words of lists. */
export const lists = {
  list: {
    search: "Search", search_in: "Search %{models}", search_fields: "Looks through: %{fields}", clear: "Clear", filter: "Filter", filters: "Filters",
    add_filter: "Add a filter", field: "Field", operator: "Condition", value: "Value", values: "Values", from: "From", to: "To",
    remove_filter: "Remove the filter %{filter}", apply: "Apply", columns: "Columns", column_up: "Move %{field} up", column_down: "Move %{field} down",
    columns_reset: "As it was", wider: "Width of %{field}", density: "Density", compact: "Compact", normal: "Normal", roomy: "Roomy",
    scroll: "Scroll through all", pages: "Page by page", mode: "Paging", page: "Page", go: "Go", first: "First page", last: "Last page",
    next: "Next page", previous: "Previous page", of: "%{page} of %{pages}", per_page: "Rows a page",
    count: "%{smart_count} record |||| %{smart_count} records", counting: "Counting …",
    selected: "%{smart_count} selected |||| %{smart_count} selected", select: "Select %{record}", select_all: "Select all that are loaded", deselect: "Select none",
    change: "Change", duplicate: "Duplicate", delete: "Delete", export: "Export", import: "Import", new: "New", more: "More",
    empty: "Nothing here yet", empty_text: "%{models} that you create are shown here.", nothing: "Nothing matches", nothing_text: "Fewer filters find more.",
    sort: "Sort by %{field}", actions: "Actions",
    table: "%{models}, %{count}", open: "Open %{record}", edit_cell: "Edit %{field} of %{record}", loading: "Loading …", failed: "This could not be loaded.",
    retry: "Try again", copy: "Copy", settings: "View", jump: "Go to page",
  },
  views: {
    label: "Views", none: "No saved view yet", save: "Save as a view", update: "Save the changes", name: "Name of the view", share: "Share with the organization",
    shared: "Shared", own: "Yours", private: "Private", delete: "Remove the view %{name}", saved: "The view is saved.", all: "All %{models}", current: "View: %{name}",
  },
  operators: {
    eq: "is", ne: "is not", in: "is one of", nin: "is none of", isNull: "is empty", notNull: "is not empty", gt: "is more than", gte: "is at least",
    lt: "is less than", lte: "is at most", after: "is after", since: "is on or after", before: "is before", until: "is on or before",
    contains: "contains", startsWith: "starts with", endsWith: "ends with", has: "holds", hasAny: "holds one of", hasAll: "holds all of",
  },
  bulk: {
    change_title: "Change %{smart_count} record |||| Change %{smart_count} records", change_field: "Field", change_done: "%{smart_count} record changed |||| %{smart_count} records changed",
    delete_done: "%{smart_count} record deleted |||| %{smart_count} records deleted", duplicate_done: "%{smart_count} record duplicated |||| %{smart_count} records duplicated",
    delete_title: "Delete %{smart_count} record? |||| Delete %{smart_count} records?", delete_text: "What belongs to them is deleted with them.",
  },
  transfer: {
    export_title: "Export %{models}", format: "Format", scope_all: "All that match (%{count})", scope_selected: "The selected ones (%{count})", what: "What",
    columns_shown: "The columns that are shown", columns_all: "All fields", fields: "Fields", download: "Download", exported: "The file is on its way.",
    import_title: "Import %{models}", choose: "Choose a file", drop: "or drop one here: CSV, JSON or NDJSON", column: "Column of the file", becomes: "Field", ignore: "Leave out",
    sample: "First values", check: "Check", checking: "Checking …", start: "Import %{smart_count} row |||| Import %{smart_count} rows", running: "Importing: %{done} of %{total}", existing: "Records that are there already",
    existing_error: "Count as errors", existing_merge: "Are changed", existing_ignore: "Stay as they are", by: "Known by", result: "%{created} made, %{updated} changed, %{ignored} left, %{failed} refused",
    row: "Row %{row}", partial: "Import the good rows, whatever the others are", another: "Another file", close: "Close", required: "Not mapped, though required: %{fields}",
    back: "Back", checked: "All rows can be imported.", faults: "What is wrong", large: "This file is imported in the background. You may leave.",
  },
};
