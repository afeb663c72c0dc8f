import { atLeast, counted, number } from "../../parts/time";
import type { Texts } from "../en";

export const review: Texts["review"] = {
  title: "Bewertung",
  run: "Lauf",
  yourVerdict: "Ihr Urteil",
  backToSummary: "Zurück zur Zusammenfassung",
  loadFailed: "Die Warteschlange konnte nicht geladen werden",
  tryAgain: "Erneut versuchen",
  noAnswer: "Der Lauf endete ohne Antwort.",
  results: { pass: "Bestanden", fail: "Nicht bestanden" },
  cancel: "Abbrechen",
  undo: "Rückgängig",

  progress: {
    label: "Bewertet",
    counts: (now) => {
      const matching = now.matching === null ? "" : `, ${number(now.matching)} im Filter`;
      return `${number(now.decided)} erledigt, ${atLeast(now.waiting.count, now.waiting.more)} ausstehend${matching}`;
    },
    unsent: (count) => `${number(count)} noch nicht gesendet`,
  },

  queue: {
    title: "Warteschlange",
    filter: "Warteschlange filtern",
    filterHint: "Zum Beispiel signal:tool_error",
    order: "Reihenfolge",
    orders: {
      informative: "aufschlussreichste zuerst",
      newest: "neueste zuerst",
      oldest: "älteste zuerst",
      errors: "Fehler zuerst",
      random: "zufällig",
    },
    decisions: {
      pass: "bestanden",
      fail: "nicht bestanden",
      deferred: "zurückgestellt",
      skipped: "übersprungen",
    },
    more: (count) => `und ${number(count)} weitere`,
  },

  empty: {
    title: "Keine Läufe stehen zur Bewertung an",
    titleFiltered: "Kein ausstehender Lauf entspricht diesem Filter",
    clear: "Filter löschen",
    about: (now) => {
      const unavailable = [
        now.leased === 0 ? null : `${number(now.leased)} bei anderen Prüfern`,
        now.deferred === 0 ? null : `${number(now.deferred)} zurückgestellt`,
        now.skipped === 0 ? null : `${number(now.skipped)} von Ihnen übersprungen`,
      ].filter((part) => part !== null);
      const sentences = [
        now.reviewedToday === null ? null : `Heute bewertet: ${number(now.reviewedToday)}.`,
        unavailable.length === 0 ? null : `Zurzeit nicht verfügbar: ${unavailable.join(", ")}.`,
        "Neue Läufe erscheinen hier automatisch.",
      ];
      return sentences.filter((sentence) => sentence !== null).join(" ");
    },
    showReviewed: "Bewertete Läufe anzeigen",
  },

  digest: {
    task: "Aufgabe",
    wholeTask: "Ganze Aufgabe anzeigen",
    steps: (total, failed) => {
      if (total === null) return "Schritte";
      return `Schritte (${number(total)}${failed > 0 ? `, davon ${number(failed)} fehlgeschlagen` : ""})`;
    },
    wholeRun: "Ganzer Lauf",
    tooLong:
      "Dieser Lauf ist zu lang, um seine Schritte aufzulisten. Öffnen Sie den ganzen Lauf, um sie zu lesen.",
    answer: "Endgültige Antwort",
    wholeAnswer: "Ganze Antwort anzeigen",
    memories: (count) => `Verwendete Erinnerungen (${number(count)})`,
    noMemories: "Keine. Aus Ihrem Urteil entsteht trotzdem eine neue.",
    signals: "Hinweise",
    signal: (name, count, step) =>
      `${name}${count > 1 ? ` × ${number(count)}` : ""}${step === null ? "" : `, Schritt ${number(step)}`}`,
    signalNames: {
      tool_error: "Tool-Fehler",
      exception: "Ausnahme",
      repeated_call: "gleicher Aufruf wiederholt",
      empty_answer: "leere Antwort",
      interrupted: "abgebrochen",
      short_answer: "Antwort kürzer als üblich",
      long_answer: "Antwort länger als üblich",
      many_messages: "mehr Nachrichten als üblich",
      slow: "langsamer als üblich",
      costly: "mehr Tokens als üblich",
      degraded_retrieval: "Erinnerungen nur per Stichwortsuche gefunden",
    },
    stored: (time) => <>gespeichert {time}</>,
    shownEarly: (reasons) => `früh angezeigt, weil ${reasons.join(", ")}`,
    reasons: {
      thin_evidence: "seine Erinnerungen wenige Bewertungen haben",
      conflicting_outcomes: "seine Erinnerungen gemischte Ergebnisse hatten",
      judge_disagrees: "der Modellprüfer und die Hinweise sich widersprechen",
      no_near_memory: "keine Erinnerung dieser Aufgabe ähnelt",
      age: "er schon lange aussteht",
    },
    deferredBefore: (reviewer, note) =>
      `zuvor zurückgestellt von ${reviewer}${note === null ? "" : `: ${note}`}`,
  },

  steps: {
    folded: { system: "Systemprompt", memory: "Erinnerungen im Prompt" },
    gap: (count) => `${counted(count, "Schritt", "Schritte")} hier nicht aufgeführt`,
    hide: "Ausblenden",
    hideOf: (step) => `Ausblenden: Text von Schritt ${number(step)}`,
    show: (size) => `${size} anzeigen`,
    showOf: (size, step) => `${size} anzeigen: Text von Schritt ${number(step)}`,
    result: "Ergebnis",
    resultBefore: "Ergebnis: ",
    failedAfter: ", fehlgeschlagen",
    media: "Medien",
  },

  memories: {
    now: "letzter Durchschnitt jetzt",
    ifPass: "wenn bestanden",
    ifFail: "wenn nicht",
    value: (value, reviews) => (reviews === null ? value : `${value} (n = ${number(reviews)})`),
  },

  verdict: {
    label: "Urteil",
    question: "War das richtig?",
    questionAfterFeedback: "War der Lauf richtig?",
    decided: {
      pass: "Sie haben diesen Lauf als bestanden bewertet.",
      fail: "Sie haben diesen Lauf als nicht bestanden bewertet.",
      deferred: "Sie haben diesen Lauf zurückgestellt.",
      skipped: "Sie haben diesen Lauf übersprungen.",
    },
    undoLast: "Letztes Urteil rückgängig machen",
    next: "Weiter",
    defer: "Zurückstellen",
    deferUntil: "Zurückstellen bis",
    deferHour: "In einer Stunde",
    deferDay: "Morgen",
    deferWeek: "Nächste Woche",
    deferCancel: "Nicht zurückstellen",
    skip: "Überspringen",
  },

  feedback: {
    label: "Rückmeldung",
    hint: "Freiwillig. Wenn der Lauf nicht bestanden ist, wird sie zur Lektion.",
    whatWasWrong: "Was war falsch?",
    vague: "Zu ungenau: Welcher Schritt war falsch, und was hätte der Agent tun sollen?",
    specific: "Genau genug für eine Lektion.",
    keysFailing: (key) => `${key} bewertet den Lauf als nicht bestanden, Esc führt zurück.`,
    keysWriting: (key) => `${key} führt weiter zum Urteil, Esc zurück.`,
    send: "Senden",
    continue: "Weiter",
    sendWithout: "Ohne Rückmeldung senden",
    recent: "Letzte Rückmeldungen",
    missing: "Beschreiben Sie, was falsch war, oder senden Sie das Urteil ohne Rückmeldung.",
    aboutStep: (step) => `Schritt ${step}: `,
  },

  messages: {
    decided: { pass: "Bestanden", fail: "Nicht bestanden" },
    undone: {
      pass: "„Bestanden“ rückgängig gemacht",
      fail: "„Nicht bestanden“ rückgängig gemacht",
    },
    deferred: {
      hour: "Um eine Stunde zurückgestellt",
      day: "Bis morgen zurückgestellt",
      week: "Bis nächste Woche zurückgestellt",
    },
    ofRun: (what, task) => `${what}: ${task}`,
    announced: (what) => `${what}.`,
    announcedCount: (what, done) => `${what}. ${number(done)} erledigt.`,
    skipped: "Übersprungen.",
    nothingToUndo: "In dieser Sitzung gibt es kein Urteil, das rückgängig gemacht werden kann.",
    rejected: (why) => `Der Server hat ein Urteil abgelehnt: ${why}`,
    conflict: (result, reviewer, time) =>
      `${reviewer ?? "Ein anderer Prüfer"} hat diesen Lauf ${time} als ${result === "pass" ? "bestanden" : "nicht bestanden"} bewertet.`,
    conflictUnknown: "Ein anderer Prüfer hat diesen Lauf vor Ihnen bewertet.",
    keepTheirs: "Urteil behalten",
    replace: "Ersetzen",
  },

  recent: {
    title: "Ihre letzten Urteile",
    decided: { pass: "Bestanden", fail: "Nicht bestanden" },
    line: (used, lesson, link) => (
      <>
        {used === null ? "" : `${used} `}
        {lesson}
        {link === null ? null : <>, {link}</>}
      </>
    ),
    view: "ansehen",
    viewLesson: "Lektion ansehen",
    inSeconds: (seconds) =>
      `Lektion in etwa ${number(seconds)} s, sofern Sie das Urteil nicht rückgängig machen.`,
    notStored: "Noch nicht gespeichert.",
    countedFor: (memories) => `Zählt für ${counted(memories, "Erinnerung", "Erinnerungen")}.`,
    failed: (why) => `Keine Lektion: ${why ?? "Das Lernen ist fehlgeschlagen."}`,
    inProgress: "Die Lektion wird geschrieben.",
    none: "Keine neue Lektion.",
    saved: (lesson) => (lesson === null ? "Lektion gespeichert" : `Lektion gespeichert: ${lesson}`),
  },

  bulk: {
    title: "Ein Urteil für viele Läufe",
    verdict: "Urteil",
    selected: (runs) =>
      runs === 1 ? "Der von Ihnen ausgewählte Lauf." : `Die ${number(runs)} von Ihnen ausgewählten Läufe.`,
    allPending: "Alle ausstehenden Läufe.",
    allMatching: (filter) => `Alle ausstehenden Läufe, die ${filter} entsprechen.`,
    feedback: {
      pass: "Rückmeldung für alle",
      fail: "Was war bei allen falsch? (Pflichtfeld)",
    },
    preview: (would, result) => {
      const verdict = result === "pass" ? "bestanden" : "nicht bestanden";
      const effects = [
        `${counted(would.traces, "Lauf wird", "Läufe werden")} als ${verdict} bewertet`,
        counted(would.utilities, "Nutzwert ändert sich", "Nutzwerte ändern sich"),
        would.reflections === 0
          ? "kein Modell wird aufgerufen"
          : `bis zu ${counted(would.reflections, "Reflexion", "Reflexionen")} (etwa ${number(would.tokens)} Tokens)`,
      ];
      const others = [
        would.skipped === 0
          ? null
          : counted(
              would.skipped,
              "ist bereits bewertet und bleibt unverändert",
              "sind bereits bewertet und bleiben unverändert",
            ),
        would.left === 0
          ? null
          : counted(
              would.left,
              "weiterer passt und braucht einen weiteren Durchgang",
              "weitere passen und brauchen einen weiteren Durchgang",
            ),
      ].filter((part) => part !== null);
      return `${effects.join(", ")}.${others.length === 0 ? "" : ` ${others.join("; ")}.`}`;
    },
    checkFirst: "Zuerst eine Stichprobe prüfen",
    apply: (result, runs) => {
      const verdict = result === "pass" ? "bestanden" : "nicht bestanden";
      return runs === null
        ? `Als ${verdict} bewerten`
        : `${counted(runs, "Lauf", "Läufe")} als ${verdict} bewerten`;
    },
    done: (done, result) => {
      const verdict = result === "pass" ? "bestanden" : "nicht bestanden";
      const skipped = done.skipped > 0 ? `, ${number(done.skipped)} nicht geändert` : "";
      return `${counted(done.traces, "Lauf", "Läufe")} als ${verdict} bewertet${skipped}.`;
    },
    undoAll: "Alle rückgängig machen",
    undone: "Alle Urteile dieses Durchgangs wurden rückgängig gemacht.",
  },

  spotCheck: {
    title: (at, of) => `Stichprobe ${number(at)} von ${number(of)}: Welches Urteil würden Sie geben?`,
    answers: { pass: "Dieser Lauf besteht", fail: "Dieser Lauf besteht nicht" },
    agreed: (runs) => `Sie haben ${number(runs)} davon geprüft und jedes Mal zugestimmt.`,
    stopped:
      "Sie würden diesem Lauf das andere Urteil geben. Diese Läufe unterscheiden sich also. Es wurde nichts geändert: Bewerten Sie sie einzeln, oder wählen Sie weniger aus.",
    notLoaded: "Keiner dieser Läufe konnte geladen werden.",
  },

  keyGroups: { verdict: "Urteil", view: "Ansicht", bulk: "Sammelaktionen" },
  keys: {
    pass: "Bestanden",
    fail: "Nicht bestanden, mit Rückmeldung",
    failSilently: "Nicht bestanden, ohne Rückmeldung",
    feedback: "Rückmeldung schreiben",
    note: "Anmerkung zum aktuellen Schritt",
    submit: "Rückmeldung senden",
    cancel: "Abbrechen",
    defer: "Zurückstellen",
    deferHour: "Um eine Stunde zurückstellen",
    deferDay: "Bis morgen zurückstellen",
    deferWeek: "Bis nächste Woche zurückstellen",
    skip: "Für diese Sitzung überspringen",
    undo: "Letztes Urteil rückgängig machen",
    next: "Nächster Lauf",
    previous: "Vorheriger Lauf",
    open: "Ganzer Ablauf",
    stepBack: "Schritt zurück",
    stepOn: "Schritt vor",
    nextError: "Nächster Fehler",
    find: "Im Ablauf suchen",
    raw: "Rohdaten anzeigen",
    bulk: "Ein Urteil für viele Läufe",
  },
};
