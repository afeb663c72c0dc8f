import type { Texts } from "../../en";

export const roles: Texts["settings"]["roles"] = {
  names: { viewer: "Betrachter", reviewer: "Prüfer", maintainer: "Betreuer", admin: "Admin" },
  options: {
    viewer: { label: "Betrachter", hint: "kann lesen" },
    reviewer: { label: "Prüfer", hint: "kann außerdem Läufe bewerten" },
    maintainer: { label: "Betreuer", hint: "kann außerdem Läufe speichern und Lektionen bearbeiten" },
    admin: {
      label: "Admin",
      hint: "kann außerdem API-Schlüssel, Einstellungen und Rollen verwalten; gilt die Rolle für alle Projekte, auch Mitglieder",
    },
  },
  permissions: {
    viewer: "Läufe, Lektionen und Statistiken sehen",
    reviewer: "Läufe bewerten",
    maintainer: "Läufe speichern, Lektionen bearbeiten, Skills schreiben",
    admin: "API-Schlüssel, Rollen und Einstellungen verwalten, Daten löschen",
  },
  none: "keine Rolle",
  inProject: (role, project) => `${role} in ${project}`,
  inAll: (role) => `${role} in allen Projekten`,
  project: {
    title: (project) => `Rollen in ${project}`,
    about:
      "Wer dieses Projekt sehen kann und was erlaubt ist. Hat jemand auch eine Rolle in allen Projekten, gilt die höhere.",
    table: "Rollen in diesem Projekt",
    member: "Mitglied",
    effective: "Wirksame Rolle",
    own: "Rolle in diesem Projekt",
    noEffective: "keine",
    noOwn: "Hier keine Rolle",
    roleOf: (name) => `Rolle von ${name}`,
    disabled: "deaktiviert",
    add: "Mitglied hinzufügen",
    addHint: "Der Name eines bestehenden Mitglieds dieses Servers.",
    addSubmit: "Zum Projekt hinzufügen",
  },
  table: {
    title: "Was jede Rolle darf",
    about: "Ein Mitglied kann in jedem Projekt eine andere Rolle haben.",
    action: "Aktion",
    yes: "ja",
    no: "nein",
  },
};
