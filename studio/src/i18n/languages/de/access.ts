/** German words of grants: what narrows keys, members and teams. */
import type { Shape } from "../en";
import type { access as english } from "../en/access";

export const access: Shape<typeof english> = {
  access: {
    label: "Was erlaubt ist", title: "Zugriff: %{name}", open: "Zugriff", save: "Zugriff speichern",
    all_key: "Ohne Liste: wie die Person, der er gehört, im Rahmen seiner Berechtigungen", all_member: "Ohne Liste: wie es die Rolle vorsieht",
    all_team: "Ohne Liste: Das Team schränkt niemanden ein", all_invitation: "Ohne Liste: wie es die Rolle vorsieht",
    narrowed: "Mit Liste: nur was eine ihrer Freigaben öffnet", nothing: "Die Liste ist leer: Nichts ist erlaubt",
    nothing_text: "Eine Freigabe hinzufügen, um etwas zu öffnen.",
    add: "Freigabe hinzufügen", remove: "Freigabe %{number} entfernen", grant: "Freigabe %{number}", most: "Eine Liste hat höchstens %{smart_count} Freigaben.",
    models: "Modelle", everything: "Alles außer Konten und Organisationen", domain: "%{domain}: alle Modelle", operations: "Vorgänge",
    may_list: "Auflisten", may_read: "Lesen", may_create: "Erstellen", may_update: "Ändern", may_delete: "Löschen", may_export: "Exportieren",
    may_import: "Importieren",
    fields: "Felder", fields_text: "Ohne Auswahl alle. ID und Version sind immer sichtbar.",
    where: "Welche Datensätze", where_all: "Alle Datensätze", where_later: "Zuerst Modelle auswählen.", where_drop: "Diese Bedingung entfernen",
    sees_key: "Was dieser Schlüssel darf", sees_member: "Was dieses Mitglied darf",
    model: "Modell", operation: "Vorgang", allowed: "Erlaubt", refused: "Nicht erlaubt", preview: "Anzeigen: %{models}",
    by_teams:
      "Teams beschränken dieses Mitglied außerdem auf %{smart_count} Freigabe. |||| " +
      "Teams beschränken dieses Mitglied außerdem auf %{smart_count} Freigaben.",
  },
};
