/** Words of grants: what narrows keys, members and teams. */
export const access = {
  access: {
    label: "What is allowed", title: "Access of %{name}", open: "Access", save: "Save the access",
    all_key: "No list: as its owner, within its scopes", all_member: "No list: as the role says", all_team: "No list: the team narrows nobody",
    all_invitation: "No list: as the role says",
    narrowed: "A list: what one of its grants opens, and no more", nothing: "The list is empty: nothing is open", nothing_text: "Add a grant to open something.",
    add: "Add a grant", remove: "Remove grant %{number}", grant: "Grant %{number}", most: "A list has at most %{smart_count} grants.",
    models: "Models", everything: "Everything but accounts and organizations", domain: "%{domain}: all models", operations: "Operations",
    may_list: "List", may_read: "Read", may_create: "Create", may_update: "Change", may_delete: "Delete", may_export: "Export", may_import: "Import",
    fields: "Fields", fields_text: "Without a choice, all. ID and version are always seen.",
    where: "Of which rows", where_all: "All rows", where_later: "Choose models first.", where_drop: "Remove this condition",
    sees_key: "What this key may do", sees_member: "What this member may do",
    model: "Model", operation: "Operation", allowed: "Allowed", refused: "Refused", preview: "Show: %{models}",
    by_teams: "Teams narrow this member to %{smart_count} grant as well. |||| Teams narrow this member to %{smart_count} grants as well.",
  },
};
