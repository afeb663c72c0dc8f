import type { Texts } from "../../en";

export const project: Texts["settings"]["project"] = {
  title: "Projekt",
  changeSettings: "diese Einstellungen ändern",
  ranking: {
    title: "Rangfolge",
    about: "Welche Lektionen zuerst kommen, wenn mehrere zu einer Aufgabe passen.",
    legend: "Lektionen ordnen",
    rankings: {
      learned: {
        label: "Gelernt",
        hint: "danach, ob Läufe mit der Lektion besser als erwartet abschnitten",
      },
      classic: { label: "Klassisch", hint: "danach, ob Läufe mit der Lektion bestanden" },
    },
  },
  holdout: {
    title: "Vergleichsgruppe",
    about:
      "Misst, ob Lektionen helfen: Ein zufälliger Anteil der Läufe erhält keine, und die Seite „Lernen“ vergleicht beide Gruppen. Bestehen mit Lektionen 75 % und ohne 60 %, genügen etwa 50 bewertete Läufe ohne Lektionen, um das zu zeigen.",
    name: "Läufe ohne Lektionen",
    label: "Läufe ohne Lektionen, in Prozent",
    hint: "0 schaltet die Vergleichsgruppe aus. 10 ist ein guter Anfang, 50 das Maximum.",
  },
  tokens: {
    title: "Tokenlimit",
    about:
      "Wie viele Modell-Tokens dieses Projekt pro Tag (UTC) verbrauchen darf, Eingabe und Ausgabe zusammen. Arbeit über dem Limit wartet bis zum nächsten Tag. Nichts geht verloren.",
    name: "Tokens",
    label: "Tokens pro Tag",
    hint: "Leer lassen, um das Limit des Servers zu verwenden, falls es eines gibt.",
  },
  redaction: {
    title: "Schwärzung",
    about:
      "Entfernt sensible Daten, bevor ein Text gespeichert, protokolliert oder an ein Modell gesendet wird. Erkannt werden nur Daten in bekanntem Format, einzelne können also bleiben. Bereits gespeicherte Texte ändern sich nicht.",
    secrets: "Zugangsdaten entfernen",
    secretsHint:
      "Schlüssel, Tokens, Passwörter. Schalten Sie das nur aus, wenn Ihre Läufe keine echten enthalten.",
    pii: "Personenbezogene Daten: E-Mail-Adressen, Telefonnummern, Zahlungskarten, IBANs, nationale Ausweisnummern",
    actions: {
      off: { label: "Behalten", hint: "speichert sie, wie sie gesendet wurden" },
      mask: { label: "Maskieren", hint: "ersetzt sie durch einen Platzhalter wie [pii:email#91c0]" },
      block: { label: "Ablehnen", hint: "weist den Lauf mit einem Fehler ab, der das Feld nennt" },
    },
    ipAddresses: "IP-Adressen als personenbezogene Daten behandeln",
  },
};
