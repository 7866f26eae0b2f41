/** German words of records: shown, edited, related. */
import type { Shape } from "../en";
import type { records as english } from "../en/records";

export const records: Shape<typeof english> = {
  record: {
    about: "Zu diesem Datensatz",
    more: "Mehr",
    new: "Neu: %{model}", edit: "Bearbeiten", save: "Speichern", cancel: "Abbrechen", delete: "Löschen", duplicate: "Duplizieren",
    deleted: "%{record} wurde gelöscht.", saved: "Gespeichert",
    created: "%{record} wurde erstellt.", related: "Zugehörige Datensätze", empty: "Leer",
    draft: "Hier gibt es nicht gespeicherte Änderungen vom %{when}.", restore: "Wiederherstellen",
    discard: "Verwerfen", print: "Drucken", copy_id: "ID kopieren", show_all: "Alle %{models} anzeigen",
    history: "Erstellt %{created}, geändert %{updated}", required_fields: "Felder mit Sternchen sind Pflichtfelder.", optional: "Weitere Felder",
    moves: "Verschieben nach",
    secret: "Bleibt geheim: Eine Eingabe ersetzt den gespeicherten Wert.", confirm_delete: "%{record} löschen?",
    welcome: "Diese Person erhält eine E-Mail mit einem Link, über den sie innerhalb von sieben Tagen ihr Passwort wählt.",
    create_option: "Neu: „%{words}“",
  },
  conflict: {
    title: "Dieser Datensatz wurde inzwischen von jemand anderem geändert",
    text: "Bitte für jedes Feld auswählen, welcher Wert gilt. Felder, die nur eine Seite geändert hat, sind bereits entschieden.",
    field: "Feld", yours: "Ihre Eingabe", theirs: "Gespeichert", save: "Diese Auswahl speichern",
    reload: "Eigene Änderungen verwerfen und gespeicherten Stand anzeigen", gone: "Der Datensatz wurde inzwischen gelöscht.",
  },
  input: {
    json_invalid: "Das ist kein gültiges JSON: %{message}", json_object: "Hier muss ein Objekt in geschweiften Klammern stehen.",
    json_array: "Hier muss eine Liste in eckigen Klammern stehen.", format: "Formatieren", write: "Schreiben", preview: "Vorschau",
    markdown: "Markdown", nothing: "Nichts für die Vorschau vorhanden", file_choose: "Datei auswählen", file_drop: "oder hier ablegen",
    file_bound: "Höchstens %{size}.", file_large: "Diese Datei ist größer, als Dateien sein dürfen: höchstens %{size}.", file_empty: "Diese Datei ist leer.",
    file_type: "Wählen Sie eine Datei von einem dieser Typen: %{types}.", file_remove: "Datei entfernen",
    file_bucket: "Dateien über 512 KiB kommen in den voreingestellten Bucket: Bitte lassen Sie den Bucket leer.",
    uploading: "Wird hochgeladen: %{percent} %",
    list_add: "Die Eingabetaste fügt einen Wert hinzu", email: "Das ist keine E-Mail-Adresse.",
    url: "Keine gültige Adresse: Sie muss mit https:// oder http:// beginnen.", pattern: "Die Eingabe hat nicht die erwartete Form.",
    long: "%{count} von %{max} Zeichen", yes: "Ja", no: "Nein", any: "Alle", unset: "Nicht festgelegt", amount: "Betrag in %{currency}",
    vector: "%{count} Zahlen", zone: "Zeitangaben gelten für %{zone}.",
    duration: "Zum Beispiel 1:30, 1h 30m oder 2 d", currency: "Währung", lat: "Breite", color: "Zum Beispiel #0a7d5c", pick: "Farbe wählen", lng: "Länge", km: "Umkreis km",
    no_color: "Das ist keine Farbe: Geben Sie eine wie #0a7d5c ein.", no_decimal: "Das ist keine Zahl.", no_duration: "Das ist keine Dauer: Geben Sie 1:30, 1h 30m oder 2 d ein.", no_point: "Breite und Länge sind Zahlen wie 52,52 und 13,405.",
    scale: "Höchstens %{count} Stellen nach dem Komma",
  },
};
