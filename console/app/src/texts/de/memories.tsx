import type { BulkAction } from "../../api/memories";
import { counted, number } from "../../parts/time";
import type { Texts } from "../en";

const bulkVerbs: Texts["memories"]["bulk"]["verbs"] = {
  disable: { label: "Deaktivieren", about: "Werden nicht mehr abgerufen. Alles andere bleibt erhalten." },
  enable: { label: "Aktivieren", about: "Stellt deaktivierte oder gelöschte Situationen wieder her." },
  quarantine: { label: "In Quarantäne stellen", about: "Werden erst nach einer Freigabe abgerufen." },
  release: {
    label: "Freigeben",
    about: "Sie bestätigen, dass diese Situationen unbedenklich sind. Sie können abgerufen werden.",
  },
  unpin: { label: "Loslösen", about: "Werden wieder wie andere Situationen gereiht." },
  delete: {
    label: "Löschen",
    about:
      "Erscheinen nicht mehr in Listen aktiver Situationen. Der Text bleibt erhalten. Kann rückgängig gemacht werden.",
  },
};

const bulkSubmit: Readonly<Record<BulkAction, (what: string) => string>> = {
  disable: (what) => `${what} deaktivieren`,
  enable: (what) => `${what} aktivieren`,
  quarantine: (what) => `${what} in Quarantäne stellen`,
  release: (what) => `${what} freigeben`,
  unpin: (what) => `${what} loslösen`,
  delete: (what) => `${what} löschen`,
};

const status: Texts["memories"]["status"] = {
  active: "aktiv",
  quarantined: "in Quarantäne",
  disabled: "deaktiviert",
  merged: "zusammengeführt",
  deleted: "gelöscht",
  retired: "stillgelegt",
  erased: "endgültig gelöscht",
};

const trust: Texts["memories"]["trust"] = {
  untrusted: "nicht vertrauenswürdig",
  normal: "normales Vertrauen",
  trusted: "vertrauenswürdig",
};

const keyStatus: Readonly<Record<string, string>> = {
  active: "aktiv",
  expired: "abgelaufen",
  revoked: "widerrufen",
};

const lessonCount = (count: number) => counted(count, "Lektion", "Lektionen");
const situationCount = (count: number) => counted(count, "Situation", "Situationen");

export const memories: Texts["memories"] = {
  title: "Erinnerungen",
  memory: "Situation",
  task: "Aufgabe",
  value: "Wert",
  noTask: "(keine Aufgabe)",
  noText: "(kein Text)",
  erased: "(endgültig gelöscht)",
  cancel: "Abbrechen",
  status,
  superseded: "überholt",
  supersededAbout: "Ein neuerer Lauf widerspricht ihr, deshalb wird sie nicht mehr abgerufen.",
  pinned: "angeheftet",
  trust,
  merged: (others) =>
    `${counted(others, "weitere wurde", "weitere wurden")} mit dieser Situation zusammengeführt`,
  origin: {
    review: "von einem Modell aus dem bewerteten Lauf geschrieben",
    authored: "mit der Bewertung gesendet",
    offline: "ohne Modell erzeugt",
    manual: "von Hand geschrieben",
    import: "importiert",
  },
  fields: {
    summary: "Lektion",
    guidance: "Was zu tun ist",
    key_mistake: "Was schiefging",
    correct_action: "Was richtig gewesen wäre",
  },
  lesson: "Lektion",
  textMissing: "Kein Text.",
  tools: "Werkzeuge und Bereiche",
  toolsField: "Werkzeuge und Bereiche, durch Kommas getrennt",
  taskMissing: "Geben Sie eine Aufgabe ein. Der Abruf findet eine Situation über ihre Aufgabe.",
  lessonMissing: "Füllen Sie mindestens ein Feld der Lektion aus.",

  verbs: {
    edit: "Bearbeiten",
    merge: "Zusammenführen",
    disable: "Deaktivieren",
    enable: "Aktivieren",
    pin: "Anheften",
    unpin: "Loslösen",
    quarantine: "In Quarantäne stellen",
    release: "Freigeben",
  },
  done: {
    disable: "Deaktiviert. Wird nicht mehr abgerufen.",
    enable: "Aktiviert.",
    pin: "Angeheftet. Steht bei jedem Abruf an erster Stelle.",
    unpin: "Losgelöst.",
    quarantine: "In Quarantäne. Wird erst nach einer Freigabe abgerufen.",
    release: "Freigegeben.",
    delete: "Gelöscht.",
    erase: "Endgültig gelöscht.",
    edit: (version) => `Neue Version gespeichert: Version ${version}.`,
    merge: (count) => `${situationCount(count)} zusammengeführt.`,
    group: (count) => `${lessonCount(count)} gruppiert.`,
  },
  nothingChanged: "Nichts geändert.",
  undo: "Rückgängig machen",
  undone: (what) => `Rückgängig gemacht: ${what}`,
  nothingToUndo: "Es gibt nichts rückgängig zu machen.",
  notPossible: (now) => `Diese Aktion ist nicht möglich. Status der Situation: ${status[now]}.`,
  pinLimit: (problem) => `${problem}. Lösen Sie zuerst eine Situation los; siehe Filter „Angeheftet“`,
  erasedHasNoText: "Eine endgültig gelöschte Situation hat keinen Text zum Bearbeiten.",
  noneToMerge: "Keine ähnliche Situation gefunden. Wählen Sie die Situationen zum Zusammenführen aus.",
  selectToGroup: "Wählen Sie die Lektionen zum Gruppieren aus.",

  list: {
    matching: (count) => `${count} Treffer`,
    stored: (count) => `${count} gespeichert`,
    changed: (count) => `${number(count)} geändert`,
    selected: (count) => `${number(count)} ausgewählt`,
    group: "Gruppieren",
    merge: "Zusammenführen",
    clear: "Auswahl aufheben",
    changeSelection: "Auswahl ändern",
    changeMatches: "Alle Treffer ändern",
    removeBySource: "Nach Quelle entfernen",
    filterLessons: "Lektionen filtern",
    filterMemories: "Situationen filtern",
    lessonsHint: "Zum Beispiel credit:<0.4 since:7d refund  (/)",
    memoriesHint: "Zum Beispiel utility:<0.4 since:7d refund  (/)",
    invalidFilter: "Der Filter ist ungültig",
    lessonsNotLoaded: "Die Lektionen konnten nicht geladen werden",
    memoriesNotLoaded: "Die Situationen konnten nicht geladen werden",
    lessons: "Lektionen",
    situations: "Situationen",
    otherSituations: (task, others) =>
      `${task} · ${counted(others, "weitere Situation", "weitere Situationen")}`,
    columns: {
      lessonAndSituations: "Lektion und Situationen",
      taskAndLesson: "Aufgabe und Lektion",
      status: "Status",
      source: "Quelle",
      sourceAbout: "Das Ergebnis des Laufs, aus dem diese Situation stammt",
      value: "Wert",
      valueAbout: "Ob die Läufe mit dieser Lektion besser ausfielen als erwartet",
      lastUsed: "Zuletzt genutzt",
      age: "Alter",
    },
  },
  lists: {
    label: "Liste",
    lessons: { name: "Lektionen", about: "Was gelernt wurde, jeder Text einmal" },
    situations: { name: "Situationen", about: "Die Aufgaben, aus denen Lektionen gelernt wurden" },
  },
  views: {
    label: "Ansichten",
    all: "Alle",
    attention: "Handlungsbedarf",
    harmful: "Am schädlichsten",
  },
  filters: {
    label: "Häufige Filter",
    active: "Aktiv",
    quarantine: "In Quarantäne",
    pinned: "Angeheftet",
    better: "Besser als erwartet",
    worse: "Schlechter als erwartet",
    superseded: "Überholt",
    unused: "Nicht in Gebrauch",
  },
  order: "Reihenfolge",
  sorts: {
    attention: "Handlungsbedarf",
    harm: "am schädlichsten",
    newest: "zuletzt gelernt",
    utility: "höchster Nutzwert",
    evidence: "meiste Belege",
  },
  empty: {
    title: "Noch keine Lektionen",
    about: "Reflect lernt Lektionen aus bewerteten Läufen. Nach der ersten Bewertung erscheinen sie hier.",
    review: (pending) => `${counted(pending, "offenen Lauf", "offene Läufe")} bewerten`,
    send: "Kein Lauf wartet auf eine Bewertung: so senden Sie einen",
    noMatch: { lesson: "Keine passende Lektion", memory: "Keine passende Situation" },
    clear: "Filter aufheben",
  },

  edit: {
    label: "Situation bearbeiten",
    title: (version) => `Version ${version} bearbeiten`,
    about:
      "Eine Änderung der Lektion gilt für alle ihre Situationen, eine Änderung der Aufgabe nur für diese.",
    changes: "Was sich ändert",
    noChanges:
      "Noch keine Änderungen. Eine Bearbeitung behält den Nutzwert und halbiert die Belege des Beitrags, weil der Text ein anderer ist.",
    conflict: "Kopieren Sie Ihren Text, schließen Sie diesen Dialog und bearbeiten Sie die aktuelle Version.",
    save: (version) => `Als Version ${version} speichern`,
  },
  group: {
    label: "Lektionen gruppieren",
    title: (count) => `${lessonCount(count)} gruppieren`,
    about:
      "Gruppieren Sie Lektionen, die dasselbe raten. Alle Situationen haben dann den Text, den Sie behalten, und jede behält ihren Beitrag. Das kann rückgängig gemacht werden.",
    which: "Welcher Text bleibt",
    submit: "Gruppieren",
  },
  merge: {
    label: "Situationen zusammenführen",
    title: (count) => `${situationCount(count)} zusammenführen`,
    about:
      "Wählen Sie, welche bleibt. Für sie zählen dann die Bewertungen aller, und die anderen verweisen auf sie. Das kann rückgängig gemacht werden.",
    which: "Welche bleibt",
    edit: "Text der verbleibenden Situation bearbeiten",
    submit: (others) => `${number(others)} mit der verbleibenden Situation zusammenführen`,
    kept: "Bleibt",
    mergedInto: "Geht in der verbleibenden Situation auf",
  },
  bulk: {
    action: "Aktion",
    verbs: bulkVerbs,
    choose: "Wählen Sie, welche Situationen geändert werden.",
    submit: (verb, count) => bulkSubmit[verb](situationCount(count)),
    selection: "Auswahl ändern",
    selected: (count) =>
      count === 1
        ? "Die Situation, die Sie ausgewählt haben."
        : `Die ${number(count)} Situationen, die Sie ausgewählt haben.`,
    matches: "Alle Treffer ändern",
    matching: (filter) => <>Jede Situation, die zu {filter} passt, auch wenn sie nicht angezeigt wird.</>,
  },
  source: {
    title: "Alles aus einer Quelle entfernen",
    source: "Quelle",
    kinds: { key: "Ein API-Schlüssel", trace: "Ein Lauf", time: "Ein Zeitraum" },
    runId: "ID des Laufs",
    from: "Erstellt ab",
    to: "Erstellt vor",
    key: "API-Schlüssel",
    keyId: "ID des API-Schlüssels",
    chooseKey: "API-Schlüssel wählen",
    keyOption: (label, id, level, state) => `${label} (${id}, ${trust[level]}, ${keyStatus[state] ?? state})`,
  },

  flags: {
    label: "Hinweise:",
    names: {
      orders: "Anweisungen",
      credentials: "Zugangsdaten",
      link: "Netzwerkadresse",
      code: "Code",
      copy: "Kopie",
    },
    about: {
      orders: "Der Text richtet Anweisungen an seinen Leser.",
      credentials: "Der Text enthält etwas, das wie ein Passwort oder ein Schlüssel aussieht.",
      link: "Der Text enthält eine Netzwerkadresse.",
      code: "Der Text enthält etwas Ausführbares.",
      copy: "Der Text wiederholt mehr als 200 Zeichen eines Werkzeugergebnisses.",
    },
    unknown: "Der Text wirkt verdächtig.",
  },
  quarantine: {
    untrusted:
      "Eine Situation von einem nicht vertrauenswürdigen API-Schlüssel bleibt in Quarantäne, bis ein Mitglied sie freigibt.",
    flagged: "Zu dieser Situation gibt es Hinweise, deshalb kann nur ein Mensch sie freigeben.",
    blocked:
      "Eine Lektion, die wie eine Anweisung wirkt oder Zugangsdaten enthält, bleibt in Quarantäne, bis ein Mensch sie freigibt.",
    manual: "Ein Mitglied hat sie in Quarantäne gestellt.",
  },

  keys: {
    groups: { list: "Liste", edit: "Bearbeiten", bulk: "Sammelaktionen" },
    filter: "Filtern",
    refresh: "Neue Einträge anzeigen",
    extendDown: "Auswahl nach unten erweitern",
    extendUp: "Auswahl nach oben erweitern",
    undo: "Letzte Änderung rückgängig machen",
    lessons: {
      next: "Nächste Lektion",
      previous: "Vorherige Lektion",
      open: "Lektion öffnen",
      cancel: "Filter verlassen oder Auswahl aufheben",
      select: "Lektion auswählen",
      group: "Auswahl gruppieren",
    },
    situations: {
      next: "Nächste Situation",
      previous: "Vorherige Situation",
      peek: "Vorschau der Situation",
      open: "Situation öffnen",
      cancel: "Vorschau schließen oder Filter verlassen",
      edit: "Text bearbeiten",
      disable: "Deaktivieren oder aktivieren",
      pin: "Anheften oder loslösen",
      quarantine: "In Quarantäne stellen oder freigeben",
      select: "Situation auswählen",
      merge: "Auswahl zusammenführen, oder mit der ähnlichsten",
      bulk: "Auswahl ändern",
      retire: "Alles aus einer Quelle entfernen",
    },
  },
};
