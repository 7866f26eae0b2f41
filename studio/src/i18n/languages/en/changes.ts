/** Words of what was: versions, the bin, and the way back. */
export const changes = {
  changes: {
    undo: "Undo", undone: "It is undone.", undoing: "This takes a while: you find it among your jobs.", undo_cancelled: "The undo was cancelled: nothing has changed.", undone_in_part: "It is undone, but for fields whose earlier values are kept secret.",
    not_undone: "There was nothing to undo: what was sent stays.", history: "History", history_of: "History of %{record}", no_history: "Nothing is kept of earlier versions.",
    version: "Version %{version}", create: "made by %{by},", update: "changed by %{by},", delete: "deleted by %{by},",
    you: "you", by_user: "somebody", by_key: "a key %{id}", by_job: "a job", by_system: "the service",
    field: "Field", before: "Before", after: "After", unknown: "not shown", revert: "Go back to this version", reverted: "The record is as it was in version %{version}.",
    undo_title: "Undo this request?", undo_text: "All that it wrote is taken back, also what is not shown here.", by: "By %{by},", title: "Changes", latest: "The latest first", none: "Nothing has changed.", all: "All", of_model: "Records", of_actor: "By",
    was_create: "New", was_update: "Changed", was_delete: "Deleted", more: "Show %{smart_count} more |||| Show %{smart_count} more",
    earlier: "Show earlier ones", bin: "Bin", bin_of: "Bin: %{models}", bin_empty: "The bin is empty.", deleted_records: "Deleted records",
    bin_text: "Deleted records stay here for %{smart_count} day. |||| Deleted records stay here for %{smart_count} days.",
    deleted_by: "Deleted by", deleted_at: "Deleted", actions: "Actions", restore: "Restore", restored: "%{record} is back, with what was deleted along with it.",
  },
  live: {
    create: "Added by %{name}: %{record}", update: "Changed by %{name}: %{record}", gone: "No longer here: %{record}", behind: "Show what is new",
    meanwhile: "Changed meanwhile by %{name}. What you have entered is still here.", meanwhile_gone: "Deleted meanwhile, or out of your sight. What you have entered is still here.", compare: "Compare",
  },
};
