/** German words of links that show one record. */
import type { Shape } from "../en";
import type { sharing as english } from "../en/sharing";

export const sharing: Shape<typeof english> = {
  sharing: {
    open: "Teilen", title: "Links auf %{name}", text: "Wer einen Link hat, liest diesen Datensatz und was dazugehört, ohne Konto, bis der Link endet.",
    make: "Link erstellen", days: "Für", day: "1 Tag", week: "7 Tage", month: "30 Tage", year: "1 Jahr",
    made: "Der neue Link", made_text: "Er wird nur dieses eine Mal angezeigt.", none: "Keine Links",
    until: "Bis %{when}", uses: "Einmal aufgerufen |||| %{smart_count}-mal aufgerufen", unused: "Noch nicht aufgerufen", end: "Link bis %{when} beenden", ended: "Der Link ist beendet.",
  },
};
