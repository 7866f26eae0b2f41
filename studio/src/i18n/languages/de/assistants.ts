/** German words of assistants: how they are connected, which are, and what their tools answer. */
import type { Shape } from "../en";
import type { assistants as english } from "../en/assistants";

export const assistants: Shape<typeof english> = {
  assistants: {
    title: "Assistenten verbinden",
    text:
      "Ein Assistent arbeitet über das Model Context Protocol (MCP) mit Ihren Daten: in Ihrem Namen und im " +
      "Rahmen dessen, was Sie ihm erlauben.",
    address: "Adresse", address_for: "Adresse für %{client}", configuration: "Konfiguration",
    configuration_of: "Konfiguration von %{client}",
    with_key: "Stattdessen mit API-Schlüssel", to_keys: "API-Schlüssel öffnen",
    without_key:
      "Sie enthält kein Geheimnis: Die App öffnet hier eine Seite, auf der Sie sich anmelden und wählen, was " +
      "sie darf.",
    key_text:
      "Setzen Sie an die Stelle von %{placeholder} einen Schlüssel und geben Sie die Datei nicht weiter. Die " +
      "App darf, was der Schlüssel darf.",
    no_key: "%{client} nimmt keinen Schlüssel: Verbunden wird mit einer Anmeldung.",
    in_terminal: "Im Terminal ausführen:", in_file: "In die Datei %{file} schreiben:",
    then_claude_code: "Danach in Claude Code /mcp eingeben, %{name} wählen und sich anmelden.",
    then_cursor: "Danach in den Einstellungen von Cursor bei den MCP-Servern %{name} suchen und sich anmelden.",
    then_vscode: "Danach den Befehl „MCP: List Servers“ ausführen, %{name} starten und sich anmelden.",
    then_codex: "Danach im Terminal „codex mcp login %{name}“ ausführen und sich anmelden.",
    then_gemini: "Danach in Gemini CLI „/mcp auth %{name}“ eingeben und sich anmelden.",
    step_claude_1: "In Claude die Einstellungen öffnen, dort die Konnektoren.",
    step_claude_2: "Einen eigenen Konnektor hinzufügen und einen Namen und diese Adresse eingeben.",
    step_claude_3: "Verbinden, sich hier anmelden und wählen, was er darf.",
    step_chatgpt_1:
      "In ChatGPT die Einstellungen öffnen, dort Apps und Konnektoren; in den erweiterten Einstellungen den " +
      "Entwicklermodus einschalten.",
    step_chatgpt_2: "Einen Konnektor erstellen: einen Namen und diese Adresse eingeben, mit OAuth.",
    step_chatgpt_3: "Verbinden, sich hier anmelden und wählen, was er darf.",
    from_outside: "%{client} verbindet sich über das Internet: Diese Adresse muss von dort per HTTPS erreichbar sein.",
    apps: "Verbundene Apps", no_apps: "Keine App ist verbunden",
    no_apps_text: "Sobald Sie eine App zulassen, steht sie hier, und Sie können sie jederzeit trennen.",
    app: "App", since: "Seit", narrowed: "Eingeschränkt", disconnect: "Trennen", disconnect_title: "%{name} trennen?",
    disconnect_text: "Schon ihr nächster Aufruf wird abgelehnt. Um zurückzukehren, muss die App Sie erneut fragen.",
    disconnected: "%{name} ist getrennt.",
    try: "Werkzeug ausprobieren",
    try_text:
      "Sehen Sie, was ein Assistent bekommt. Das Werkzeug läuft in Ihrem Namen, mit allem, was Sie sehen und " +
      "tun dürfen.",
    no_tools: "Für Sie gibt es kein Werkzeug.", tool: "Werkzeug", it_reads: "Liest", it_writes: "Schreibt",
    it_destroys: "Ändert oder löscht",
    run: "Ausführen", running: "Das Werkzeug läuft", commas: "Durch Kommas getrennt.", json: "In JSON.",
    unset: "Nicht gesetzt: Das Werkzeug entscheidet.",
    no_integer: "Das ist keine ganze Zahl.",
    write_title: "%{tool}: wirklich?",
    write_text:
      "Das ist keine Probe: Was das Werkzeug erstellt, ändert oder löscht, wird wirklich erstellt, geändert " +
      "oder gelöscht.",
    answer: "Antwort", answered: "Das Werkzeug hat geantwortet.", nothing: "Das Werkzeug hat nichts geantwortet.",
    wrong: "Das Werkzeug konnte das nicht ausführen",
    refused: "Der Aufruf wurde abgelehnt: %{message}",
  },
};
