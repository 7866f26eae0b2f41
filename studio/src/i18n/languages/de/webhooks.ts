/** German words of webhooks: addresses that are told of changes, and what was delivered to them. */
import type { Shape } from "../en";
import type { webhooks as english } from "../en/webhooks";

export const webhooks: Shape<typeof english> = {
  webhooks: {
    title: "Webhooks", new: "Neuer Webhook", edit: "Bearbeiten", none: "Es gibt noch keinen Webhook", none_text: "Ein Webhook meldet Ihrem Server Änderungen, sobald sie geschehen.",
    url: "Adresse", url_text: "Eine Adresse Ihres Servers, die mit https:// beginnt", description: "Beschreibung", events: "Ereignisse", events_text: "Was Ihrem Server gemeldet wird",
    everything: "Alles", all_of_domain: "%{domain}: alles", all_of_model: "%{models}: alle Änderungen", on_create: "%{models}: neu", on_update: "%{models}: geändert", on_delete: "%{models}: gelöscht",
    state: "Zustand", of: "Von", since: "Seit", where: "Bedingungen", secret: "Geheimnis", is_on: "Ein", is_off: "Aus", is_failing_now: "Gestört", is_gone: "Aus: nicht mehr da", is_failing: "Aus: gestört",
    is_overflow: "Aus: zu viel wartet",
    because_gone: "Ausgeschaltet: Die Adresse hat geantwortet, dass es sie nicht mehr gibt.", because_failing: "Ausgeschaltet: Seit fünf Tagen ist nichts angekommen.",
    because_overflow: "Ausgeschaltet: Mehr als 100.000 Ereignisse warten.",
    catch_up: "Sobald Ihr Server wieder arbeitet, schalten Sie den Webhook ein und senden Sie erneut, was ihm entgangen ist.", failing_since: "Nichts kommt an seit",
    test: "Test senden", tested: "Es ist unterwegs.", replay: "Erneut senden", replay_title: "Erneut senden, was geschehen ist", replay_since: "Seit", replay_text: "Was Ihr Server schon kennt, erkennt er an der ID des Ereignisses.",
    rotate: "Neues Geheimnis", rotated: "Es gibt ein neues Geheimnis.", rotate_title: "Neues Geheimnis erstellen?", rotate_text: "24 Stunden lang unterschreibt auch das alte, damit Sie es ersetzen können.",
    off: "Ausschalten", on: "Einschalten", delete: "Löschen", delete_title: "Webhook löschen?", delete_text: "An %{url} wird nichts mehr gesendet, und was zugestellt wurde, wird vergessen.", deleted: "Der Webhook ist gelöscht.",
    created: "Geheimnis des Webhooks", created_text: "Mit diesem Geheimnis erkennt Ihr Server, dass Ereignisse von hier kommen. Es wird nur jetzt angezeigt.", confirm: "Ich habe das Geheimnis gespeichert", done: "Fertig",
    keep: "Legen Sie das Geheimnis dort ab, wo Programme Geheimnisse lesen, etwa in der Umgebung; nie im Code.", lost: "Der Webhook ist da, aber die Verbindung ging verloren, bevor sein Geheimnis kam. Erstellen Sie ein neues.",
    status_pending: "Wartet", status_delivering: "Unterwegs", status_delivered: "Zugestellt", status_failed: "Fehlgeschlagen, wird wiederholt", status_abandoned: "Aufgegeben",
    deliveries: "Zustellungen", no_deliveries: "Es wurde nichts gesendet.", attempts: "%{smart_count} Versuch |||| %{smart_count} Versuche", next: "Nächster Versuch:", error: "Was nicht ging",
    answer: "Antwort", payload: "Was gesendet wurde", again: "Noch einmal senden", test_event: "Test", not_own: "Was zugestellt wurde, sieht nur, wer den Webhook erstellt hat.",
  },
};
