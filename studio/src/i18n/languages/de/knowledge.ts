/** German words of knowledge bases: what is in them, and how they are searched. */
import type { Shape } from "../en";
import type { knowledge as english } from "../en/knowledge";

export const knowledge: Shape<typeof english> = {
  knowledge: {
    search: "Suchen", question: "Frage", nothing: "Nichts gefunden.", page: "Seite %{page}",
    mode_hybrid: "Nach beidem", mode_vector: "Nach Bedeutung", mode_keyword: "Nach Wörtern",
    by_words: "Wörter: Nr. %{rank}, %{score}", by_meaning: "Bedeutung: Nr. %{rank}, %{score}",
    degraded: "Die Einbettung hat nicht rechtzeitig geantwortet: Nur Wörter haben entschieden.",
    progress: "%{embedded} von %{all} Abschnitten haben einen Vektor.", no_model: "Diese Wissensbasis hat keine Vektoren: Sie wird nach Wörtern durchsucht.",
    to_sources: "Dokumente hinzufügen", sources: "Dokumente", no_sources: "In dieser Wissensbasis ist noch nichts.", add: "Dateien hinzufügen", add_text: "Oder hierher ziehen: PDF, Word, PowerPoint, Excel, E-Mail, Webseiten, Text.",
    labels: "Etiketten der Dokumente", operators: "\"Eine Wendung\" muss vorkommen, -Wörter dürfen nicht; Hafen* steht für jedes Wort, das so beginnt.",
    entering: "%{done} von %{all} Dateien sind gesendet.", passages: "Abschnitte", of: "%{embedded} von %{all} fertig", open: "Dokument öffnen", more: "Weitere Abschnitte",
  },
};
