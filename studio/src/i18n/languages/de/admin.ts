/** What the German of react-admin lacks in this version, says with "Du", or says wrongly. */
import formalGermanMessages from "@haleos/ra-language-german/dist/esm/formalGermanMessages";
import type { TranslationMessages } from "react-admin";

// The package's own index merges its informal texts into the formal ones as it loads, hence the path above.
const { ra: known } = formalGermanMessages;
const configurable = known.configurable!;

export const ra: TranslationMessages["ra"] = {
  ...known,
  action: {
    ...known.action, add: "Hinzufügen", clear_array_input: "Liste leeren", clear_input_value: "Eingabe leeren", reset: "Zurücksetzen",
    search_columns: "Spalten suchen", select_all_button: "Alle auswählen", select_row: "Zeile auswählen", update_application: "Anwendung neu laden",
  },
  page: { ...known.page, access_denied: "Zugriff verweigert", authentication_error: "Fehler bei der Anmeldung" },
  input: {
    ...known.input,
    file: { upload_several: "Dateien hier ablegen oder zum Auswählen klicken.", upload_single: "Datei hier ablegen oder zum Auswählen klicken." },
    image: { upload_several: "Bilder hier ablegen oder zum Auswählen klicken.", upload_single: "Bild hier ablegen oder zum Auswählen klicken." },
  },
  message: {
    ...known.message, access_denied: "Für diese Seite fehlt die Berechtigung.",
    authentication_error: "Der Anmeldedienst hat einen Fehler gemeldet; die Anmeldedaten konnten nicht geprüft werden.",
    clear_array_input: "Sicher, dass Sie die ganze Liste leeren wollen?", delete_title: "%{name} %{recordRepresentation} löschen",
    error: "Ein Fehler ist aufgetreten. Die Anfrage konnte nicht verarbeitet werden.", loading: "Bitte warten",
    not_found: "Die Adresse ist falsch eingegeben, oder der Link führt ins Leere.",
    select_all_limit_reached: "Das sind zu viele Elemente, um alle auszuwählen. Nur die ersten %{max} wurden ausgewählt.",
    unsaved_changes: "Einige Änderungen sind nicht gespeichert. Sicher, dass Sie sie verwerfen wollen?",
    placeholder_data_warning: "Netzwerkproblem: Die Daten konnten nicht aktualisiert werden.",
  },
  navigation: {
    ...known.navigation, clear_filters: "Filter zurücksetzen", no_filtered_results: "Mit den aktuellen Filtern keine Treffer: %{name}.",
    no_more_results: "Es gibt keine Seite %{page}. Bitte eine vorherige Seite aufrufen.", page: "Zu Seite %{page}", first: "Zur ersten Seite",
    last: "Zur letzten Seite", next: "Zur nächsten Seite", previous: "Zur vorherigen Seite", page_rows_per_page: "Zeilen pro Seite:",
  },
  sort: { ...known.sort, ASC: "aufsteigend", DESC: "absteigend" },
  auth: { ...known.auth, auth_check_error: "Bitte anmelden, um fortzufahren", email: "E-Mail-Adresse" },
  notification: {
    ...known.notification, data_provider_error: "Fehler im DataProvider. Details stehen in der Konsole.",
    logged_out: "Ihre Sitzung ist abgelaufen. Bitte erneut anmelden.", application_update_available: "Eine neue Version ist verfügbar.",
    offline: "Keine Verbindung. Die Daten konnten nicht geladen werden.",
  },
  validation: {
    ...known.validation, minLength: "Muss mindestens %{min} Zeichen haben", maxLength: "Darf höchstens %{max} Zeichen haben",
    maxValue: "Darf höchstens %{max} betragen", number: "Muss eine Zahl sein", email: "Muss eine gültige E-Mail-Adresse sein",
    regex: "Muss einem bestimmten Format entsprechen (regulärer Ausdruck): %{pattern}", unique: "Muss eindeutig sein",
  },
  saved_queries: {
    ...known.saved_queries, new_label: "Aktuelle Anfrage speichern …", new_dialog_title: "Aktuelle Anfrage speichern als",
    remove_label_with_name: "Anfrage „%{name}“ löschen",
  },
  guesser: { empty: { title: "Keine Daten vorhanden", message: "Bitte den DataProvider prüfen" } },
  configurable: {
    ...configurable, Datagrid: { ...configurable.Datagrid, unlabeled: "Unbenannte Spalte #%{column}" },
    inspector: { ...configurable.inspector, content: "Den Mauszeiger über die Elemente der Oberfläche bewegen, um sie zu konfigurieren" },
    SimpleForm: { ...configurable.SimpleForm, unlabeled: "Unbenanntes Feld #%{input}" },
  },
};
