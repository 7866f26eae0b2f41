/** German words of records that are shared. */
import type { Shape } from "../en";
import type { sharing as english } from "../en/sharing";

export const sharing: Shape<typeof english> = {
  sharing: {
    open: "Teilen", title: "%{name} teilen", links: "Links", text: "Wer einen Link hat, liest diesen Datensatz und was dazugehört, ohne Konto, bis der Link endet.",
    make: "Link erstellen", days: "Für", day: "1 Tag", week: "7 Tage", month: "30 Tage", year: "1 Jahr",
    made: "Der neue Link", made_text: "Er wird nur dieses eine Mal angezeigt.", none: "Keine Links",
    until: "Bis %{when}", uses: "Einmal aufgerufen |||| %{smart_count}-mal aufgerufen", unused: "Noch nicht aufgerufen", end: "Link bis %{when} beenden", ended: "Der Link ist beendet.",
    people: "Personen, Teams und Adressen", people_of: "Personen", teams_of: "Teams", who: "Name oder E-Mail-Adresse", nobody: "Mit niemandem geteilt", share: "Teilen",
    may: "Darf", may_of: "Was %{name} darf", read: "Lesen", write: "Lesen und ändern", always: "Ohne Ende", stop: "Nicht mehr mit %{name} teilen",
    with_me: "Mit mir geteilt", records: "Datensätze", record: "Datensatz", model: "Art", by: "Geteilt von", since: "Seit", ends: "Bis", more: "Mehr anzeigen",
    nothing_with_me: "Mit Ihnen ist nichts geteilt",
  },
};
