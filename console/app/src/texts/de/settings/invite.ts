import type { Texts } from "../../en";

export const invite: Texts["settings"]["invite"] = {
  title: "Mitglied einladen",
  about:
    "Sie erhalten einen Anmeldelink, den Sie der Person senden. Er gilt einmal und nur 24 Stunden lang. Behandeln Sie ihn wie ein Passwort.",
  link: (name) => `Anmeldelink für ${name}`,
  sendLink: (name) => `Senden Sie ihn an ${name}. Wer ihn zuerst öffnet, wird unter diesem Namen angemeldet.`,
  name: "Name",
  nameHint: "Erscheint bei den Bewertungen der Person. Er lässt sich später nicht ändern.",
  role: "Rolle",
  projects: "Projekte",
  all: "Alle Projekte",
  allHint: "auch später erstellte",
  some: "Einzelne Projekte",
  which: "Welche Projekte",
  create: "Einladung erstellen",
};
