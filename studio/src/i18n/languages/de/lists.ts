/** German words of lists. */
import type { Shape } from "../en";
import type { lists as english } from "../en/lists";

export const lists: Shape<typeof english> = {
  list: {
    search: "Suchen", search_in: "%{models} durchsuchen", search_fields: "Durchsucht: %{fields}", clear: "Zurücksetzen", filter: "Filter",
    filters: "Filter", add_filter: "Filter hinzufügen", field: "Feld", operator: "Bedingung", value: "Wert", values: "Werte", from: "Von", to: "Bis",
    remove_filter: "Filter %{filter} entfernen", apply: "Anwenden", columns: "Spalten", column_up: "%{field} nach oben verschieben",
    column_down: "%{field} nach unten verschieben", columns_reset: "Zurücksetzen", wider: "Breite der Spalte %{field}", density: "Zeilenabstand",
    compact: "Kompakt", normal: "Normal", roomy: "Großzügig", scroll: "Fortlaufend", pages: "Seitenweise", mode: "Blättern", page: "Seite",
    go: "Los", first: "Erste Seite", last: "Letzte Seite", next: "Nächste Seite", previous: "Vorherige Seite", of: "%{page} von %{pages}",
    per_page: "Zeilen pro Seite", count: "%{smart_count} Datensatz |||| %{smart_count} Datensätze", counting: "Wird gezählt …",
    selected: "%{smart_count} ausgewählt |||| %{smart_count} ausgewählt",
    select: "%{record} auswählen", select_all: "Alle geladenen auswählen", deselect: "Auswahl aufheben",
    change: "Ändern", duplicate: "Duplizieren", delete: "Löschen", export: "Exportieren", import: "Importieren", new: "Neu", more: "Mehr",
    empty: "Noch nichts vorhanden", empty_text: "%{models}, die Sie erstellen, erscheinen hier.", nothing: "Keine Treffer",
    nothing_text: "Weniger Filter ergeben mehr Treffer.",
    sort: "Nach %{field} sortieren", actions: "Aktionen",
    table: "%{models}, %{count}", open: "%{record} öffnen", edit_cell: "%{field} von %{record} bearbeiten", loading: "Wird geladen …",
    failed: "Das konnte nicht geladen werden.", retry: "Erneut versuchen", copy: "Kopieren", settings: "Darstellung",
    jump: "Zu Seite springen",
  },
  views: {
    label: "Ansichten", none: "Noch keine gespeicherte Ansicht", save: "Als Ansicht speichern", update: "Änderungen speichern",
    name: "Name der Ansicht", share: "Für die Organisation freigeben", shared: "Freigegeben", own: "Eigene", private: "Privat",
    delete: "Ansicht %{name} entfernen", saved: "Die Ansicht wurde gespeichert.", all: "Alle %{models}", current: "Ansicht: %{name}",
  },
  operators: {
    eq: "ist", ne: "ist nicht", in: "ist eines von", nin: "ist keines von", isNull: "ist leer", notNull: "ist nicht leer", gt: "ist größer als",
    gte: "ist mindestens", lt: "ist kleiner als", lte: "ist höchstens", after: "liegt nach", since: "liegt am oder nach", before: "liegt vor",
    until: "liegt am oder vor", contains: "enthält", startsWith: "beginnt mit", endsWith: "endet mit", has: "enthält den Wert",
    hasAny: "enthält einen der Werte", hasAll: "enthält alle Werte",
  },
  bulk: {
    change_title: "%{smart_count} Datensatz ändern |||| %{smart_count} Datensätze ändern", change_field: "Feld",
    change_done: "%{smart_count} Datensatz geändert |||| %{smart_count} Datensätze geändert",
    delete_done: "%{smart_count} Datensatz gelöscht |||| %{smart_count} Datensätze gelöscht",
    duplicate_done: "%{smart_count} Datensatz dupliziert |||| %{smart_count} Datensätze dupliziert",
    delete_title: "%{smart_count} Datensatz löschen? |||| %{smart_count} Datensätze löschen?",
    delete_text: "Was dazugehört, wird mit gelöscht.",
  },
  transfer: {
    export_title: "%{models} exportieren", format: "Format", scope_all: "Alle Treffer (%{count})", scope_selected: "Nur ausgewählte (%{count})",
    what: "Umfang", columns_shown: "Angezeigte Spalten", columns_all: "Alle Felder", fields: "Felder", download: "Herunterladen",
    exported: "Die Datei ist unterwegs.", import_title: "%{models} importieren", choose: "Datei auswählen",
    drop: "oder hier ablegen: CSV, JSON oder NDJSON", column: "Spalte der Datei", becomes: "Feld", ignore: "Auslassen",
    sample: "Erste Werte", check: "Prüfen", checking: "Wird geprüft …",
    start: "%{smart_count} Zeile importieren |||| %{smart_count} Zeilen importieren", running: "Import läuft: %{done} von %{total}",
    existing: "Bereits vorhandene Datensätze", existing_error: "Als Fehler werten", existing_merge: "Ändern",
    existing_ignore: "Unverändert lassen", by: "Erkannt an",
    result: "%{created} erstellt, %{updated} geändert, %{ignored} unverändert, %{failed} abgelehnt",
    row: "Zeile %{row}", partial: "Fehlerfreie Zeilen in jedem Fall importieren", another: "Andere Datei", close: "Schließen",
    required: "Pflichtfelder ohne Zuordnung: %{fields}", back: "Zurück", checked: "Alle Zeilen können importiert werden.", faults: "Fehler",
    large: "Diese Datei wird im Hintergrund importiert. Die Seite kann verlassen werden.",
  },
};
