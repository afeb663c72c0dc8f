import { atLeast } from "../../../parts/time";
import type { Texts } from "../../en";

export const keys: Texts["settings"]["keys"] = {
  title: "API-Schlüssel",
  about: "Zugang für Ihre Programme",
  seeOrCreate: "API-Schlüssel ansehen oder erstellen",
  list: "API-Schlüssel",
  listed: (count, more) => `API-Schlüssel (${atLeast(count, more)})`,
  listAbout:
    "Von einem Schlüssel wird nur der Anfang gespeichert. Widerrufene Schlüssel bleiben in der Liste, weil Bewertungen sie nennen können.",
  none: "Noch keine API-Schlüssel. Ihr Agent benötigt einen, um Läufe zu speichern und Lektionen abzurufen. Erstellen Sie oben den ersten.",
  showMore: "Mehr anzeigen",
  status: { active: "aktiv", expired: "abgelaufen", revoked: "widerrufen" },
  trust: { normal: "normales Vertrauen", untrusted: "nicht vertrauenswürdig", trusted: "vertrauenswürdig" },
  expiresSoon: "läuft bald ab",
  allProjects: "alle Projekte",
  addresses: (ranges) => `Funktioniert nur von ${ranges}`,
  history: (creator, created, used, end) => (
    <>
      Erstellt von {creator} {created}, {used}, {end}
    </>
  ),
  neverUsed: "nie verwendet",
  lastUsed: (time) => <>zuletzt verwendet {time}</>,
  revoked: (time) => <>widerrufen {time}</>,
  expired: (time) => <>abgelaufen {time}</>,
  expires: (time) => <>läuft {time} ab</>,
  doesNotExpire: "läuft nicht ab",
  rotate: "Ersetzen",
  rotateNamed: (label) => `${label} ersetzen`,
  revoke: "Widerrufen",
  revokeNamed: (label) => `${label} widerrufen`,
  create: {
    title: "API-Schlüssel erstellen",
    about:
      "Erstellen Sie für jedes Programm einen eigenen Schlüssel, damit Sie jeden einzeln widerrufen können.",
    created: (label) => `API-Schlüssel „${label}“`,
    saveNow: "Speichern Sie ihn jetzt dort, wo das Programm seine Zugangsdaten liest.",
    label: "Bezeichnung",
    labelHint: "Zum Beispiel das Programm und wo es läuft.",
    permissions: "Rechte",
    trust: "Vertrauen",
    trusts: {
      normal: { label: "Normal", hint: "für Ihre eigenen Programme" },
      untrusted: {
        label: "Nicht vertrauenswürdig",
        hint: "für Agenten, die mit der Öffentlichkeit sprechen: Ihre Lektionen warten, bis ein Mitglied sie freigibt",
      },
      trusted: { label: "Vertrauenswürdig", hint: "zählt so viel wie Ihre eigenen Bewertungen" },
    },
    environment: "Umgebung",
    environmentHint: "Erscheint im Schlüssel, damit Sie ihn erkennen.",
    expires: "Ablauf",
    expiresHint: "Standard sind 90 Tage. Der Server kann ein Maximum festlegen.",
    expiry: {
      default: "Standard",
      days: (days) => `In ${days} Tagen`,
      year: "In einem Jahr",
      never: "Nie",
    },
    addresses: "Erlaubte Adressen",
    addressesHint:
      "IP-Adressen oder Bereiche wie 10.0.0.0/8, durch Kommas getrennt. Leer lassen, um alle zu erlauben.",
    submit: "API-Schlüssel erstellen",
  },
};
