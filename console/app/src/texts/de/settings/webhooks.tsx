import type { Texts } from "../../en";

export const webhooks: Texts["settings"]["webhooks"] = {
  title: "Webhooks",
  about: "Ereignisse für andere Programme, etwa Chats und Ticketsysteme",
  seeOrCreate: "Webhooks ansehen oder erstellen",
  list: "Webhooks",
  listed: (count) => `Webhooks (${count})`,
  listAbout:
    "Fehlgeschlagene Zustellungen werden einen Tag lang wiederholt. Ein Webhook, der drei Tage lang fehlschlägt, wird deaktiviert. Zustellungen werden 14 Tage lang aufbewahrt.",
  none: "Noch keine Webhooks. Erstellen Sie oben den ersten.",
  events: {
    "review.needed": "Läufe warten auf eine Bewertung",
    "memory.created": "Eine Erinnerung wurde erstellt",
    "memory.quarantined": "Eine Erinnerung kam in Quarantäne",
    "health.changed": "Der Zustand des Lernkreislaufs hat sich geändert",
    "judge.stopped": "Der Modellprüfer wurde angehalten",
  },
  state: { enabled: "aktiv", failing: "schlägt fehl", disabled: "deaktiviert" },
  withTexts: "mit Texten",
  disabledBecause: (reason) => `Vom Server deaktiviert: ${reason}.`,
  createdBy: (creator, created) => (
    <>
      Erstellt von {creator} {created}
    </>
  ),
  bothSecrets: (until) => <>, mit beiden Geheimnissen signiert bis {until}</>,
  test: "Test senden",
  tested: (name) => `Ein Test ist unterwegs zu ${name}.`,
  showDeliveries: "Zustellungen anzeigen",
  hideDeliveries: "Zustellungen ausblenden",
  enable: "Aktivieren",
  disable: "Deaktivieren",
  rotate: "Geheimnis ersetzen",
  delete: "Löschen",
  create: {
    title: "Webhook erstellen",
    about:
      "Der Server sendet für jedes Ereignis eine signierte POST-Anfrage. Der Empfänger prüft sie mit dem Geheimnis.",
    created: (url) => `Geheimnis für ${url}`,
    saveNow: "Speichern Sie es jetzt dort, wo der Empfänger seine Zugangsdaten liest.",
    url: "Adresse",
    urlHint: "Eine https-Adresse im öffentlichen Internet. Der Betreiber kann weitere Netze erlauben.",
    events: "Ereignisse",
    includeTexts: "Auch Texte senden",
    includeTextsHint:
      "Aufgabe und Zusammenfassung einer Erinnerung und die Aufgaben wartender Läufe. Sonst enthalten Ereignisse nur Kennungen, Wörter und Zahlen.",
    description: "Beschreibung",
    descriptionHint: "Zum Beispiel der Kanal, der die Ereignisse zeigt.",
    submit: "Webhook erstellen",
  },
  deliveries: {
    title: "Zustellungen",
    newestFirst: "Zustellungen, neueste zuerst",
    none: "Keine Zustellungen in den letzten 14 Tagen.",
    time: "Zeit",
    event: "Ereignis",
    state: "Zustand",
    attempts: "Versuche",
    action: "Aktion",
    states: { waiting: "wartet", delivered: "zugestellt", failed: "fehlgeschlagen" },
    next: (time) => <>(nächster Versuch {time})</>,
    redeliver: "Erneut senden",
    redeliverNamed: (event) => `${event} erneut senden`,
    showOlder: "Ältere Zustellungen anzeigen",
  },
  rotation: {
    title: "Geheimnis ersetzen?",
    about:
      "Sie erhalten ein neues Geheimnis. 24 Stunden lang werden Anfragen mit beiden Geheimnissen signiert. Geben Sie das neue in dieser Zeit dem Empfänger.",
    submit: "Neues Geheimnis erstellen",
    done: "Fertig",
  },
  deletion: {
    title: "Webhook löschen?",
    about: (url) => `An ${url} werden keine Ereignisse mehr gesendet, auch keine wartenden.`,
    submit: "Webhook löschen",
    deleted: "Der Webhook wurde gelöscht.",
  },
};
