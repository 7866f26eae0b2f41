/** German words of what was: versions, the bin, and the way back. */
import type { Shape } from "../en";
import type { changes as english } from "../en/changes";

export const changes: Shape<typeof english> = {
  changes: {
    undo: "Rückgängig machen", undoing: "Das dauert eine Weile: Sie finden es unter Ihren Aufträgen.", undo_cancelled: "Das Rückgängigmachen wurde abgebrochen: nichts hat sich geändert.",
    undone: "Die Änderung wurde rückgängig gemacht.", undone_in_part: "Die Änderung wurde rückgängig gemacht, bis auf Felder, deren frühere Werte geheim bleiben.",
    not_undone: "Es gab nichts rückgängig zu machen: Gesendetes bleibt.", history: "Verlauf", history_of: "Verlauf von %{record}",
    no_history: "Frühere Versionen sind nicht gespeichert.",
    version: "Version %{version}", create: "erstellt von %{by},", update: "geändert von %{by},", delete: "gelöscht von %{by},",
    you: "Ihnen", by_user: "einer anderen Person", by_key: "einem Schlüssel %{id}", by_job: "einem Hintergrundjob", by_system: "dem Dienst",
    field: "Feld", before: "Vorher", after: "Nachher", unknown: "nicht sichtbar", revert: "Zu dieser Version zurückkehren",
    reverted: "Der Datensatz ist wieder wie in Version %{version}.",
    undo_title: "Diese Anfrage rückgängig machen?", undo_text: "Alles, was sie geschrieben hat, wird zurückgenommen, auch was hier nicht angezeigt wird.", by: "Von %{by},", title: "Änderungen", latest: "Die neuesten zuerst", none: "Es hat sich nichts geändert.", all: "Alle", of_model: "Datensätze", of_actor: "Von",
    was_create: "Neu", was_update: "Geändert", was_delete: "Gelöscht", more: "%{smart_count} weiteren anzeigen |||| %{smart_count} weitere anzeigen",
    earlier: "Frühere anzeigen", bin: "Papierkorb", bin_of: "Papierkorb: %{models}", bin_empty: "Der Papierkorb ist leer.", deleted_records: "Gelöschte Datensätze",
    bin_text: "Gelöschte Datensätze bleiben hier %{smart_count} Tag lang. |||| Gelöschte Datensätze bleiben hier %{smart_count} Tage lang.",
    deleted_by: "Gelöscht von", deleted_at: "Gelöscht", actions: "Aktionen", restore: "Wiederherstellen",
    restored: "%{record} ist wieder da, mit allem, was zugleich gelöscht wurde.",
  },
  live: {
    create: "Hinzugefügt von %{name}: %{record}", update: "Geändert von %{name}: %{record}", gone: "Nicht mehr vorhanden: %{record}", behind: "Neues anzeigen",
    meanwhile: "Inzwischen geändert von %{name}. Ihre Eingaben sind noch da.", meanwhile_gone: "Inzwischen gelöscht oder nicht mehr sichtbar. Ihre Eingaben sind noch da.",
    compare: "Vergleichen",
  },
};
