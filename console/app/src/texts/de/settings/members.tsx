import { number } from "../../../parts/time";
import type { Texts } from "../../en";

export const members: Texts["settings"]["members"] = {
  title: "Mitglieder",
  about: "Wer dieses Projekt sehen und ändern kann",
  seeOrChangeRoles: "die Rollen der Mitglieder ansehen oder ändern",
  list: "Mitglieder",
  listed: (count) => `Mitglieder (${number(count)})`,
  listAbout:
    "Alle mit Zugang zu diesem Server. Um jemanden zu entfernen, deaktivieren Sie das Mitglied: Es wird sofort abgemeldet, und seine API-Schlüssel funktionieren nicht mehr. Seine Bewertungen bleiben.",
  disabled: "deaktiviert",
  you: "Sie",
  history: (roles, inviter, invited, lastSeen) => (
    <>
      {roles} · eingeladen von {inviter} {invited} ·{" "}
      {lastSeen === null ? "noch nie angemeldet" : <>zuletzt aktiv {lastSeen}</>}
    </>
  ),
  roleOf: (name) => `Rolle von ${name} in allen Projekten`,
  someProjects: "nur einzelne Projekte",
  enable: "Aktivieren",
  enableNamed: (name) => `${name} aktivieren`,
  newLink: "Neuer Link",
  newLinkFor: (name) => `Neuer Link für ${name}`,
  linkAbout: "Frühere Links funktionieren nicht mehr.",
  disable: "Deaktivieren",
  disableNamed: (name) => `${name} deaktivieren`,
  confirmDisable: (name) => `${name} deaktivieren?`,
  disableAbout:
    "Das Mitglied wird sofort abgemeldet, seine Anmeldelinks funktionieren nicht mehr, und die von ihm erstellten API-Schlüssel werden widerrufen. Seine Bewertungen bleiben und zählen weiter. Sie können es später wieder aktivieren.",
  sessions: {
    title: "Ihre Sitzungen",
    about:
      "Wo Sie angemeldet sind. Sie werden nach 12 Stunden ohne Nutzung und spätestens nach 7 Tagen abgemeldet.",
    unknownBrowser: "Unbekannter Browser",
    times: (began, used, ends) => (
      <>
        Angemeldet {began}, zuletzt verwendet {used}, endet {ends}
      </>
    ),
    current: "Dieser Browser",
    signOut: "Abmelden",
  },
};
