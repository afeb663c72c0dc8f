import { atLeast, counted, number } from "../../parts/time";
import type { Texts } from "../en";

export const overview: Texts["overview"] = {
  notLoaded: "Die Übersicht konnte nicht geladen werden",
  updated: (time) => <>Aktualisiert {time}</>,
  keys: {
    group: "Übersicht",
    nextStep: "Empfohlene Aktion ausführen",
    dismiss: "Checkliste für den Einstieg ausblenden",
  },
  loop: {
    label: "Lernkreislauf",
    passRate: "Erfolgsquote der letzten 30 Tage",
    causes: "Liegt die Veränderung an den Lektionen?",
    newest: "Zuletzt gelernt",
    noLessons: "Nach der ersten Bewertung erscheint hier eine Lektion.",
    nothingNew: "Die zuletzt bewerteten Läufe haben bestanden und keine neue Lektion ergeben.",
    failed: "Fehlgeschlagene Lektionen",
    noReason: "Es wurde kein Grund aufgezeichnet.",
  },
  counters: {
    title: "Die letzten 7 Tage",
    weakest: "schwächste Stufe",
    names: {
      traces: "Läufe",
      reviews: "Bewertet",
      reflections: "Daraus gelernt",
      memories: "Lektionen erhalten",
    },
    lastDay: (runs) => `${number(runs)} in den letzten 24 Stunden`,
    reviewed: (reviewed, runs, oldest) => (
      <>
        {number(reviewed)} von {counted(runs, "Lauf", "Läufen")}
        {oldest === null ? null : <>, ältester ausstehender: {oldest}</>}
      </>
    ),
    learned: (of) =>
      [
        ...(of.queued === 0 ? [] : [`${number(of.queued)} in Arbeit`]),
        ...(of.failed === 0 ? [] : [`${number(of.failed)} fehlgeschlagen`]),
        `insgesamt ${counted(of.lessons, "Lektion", "Lektionen")} für ${counted(of.situations, "Situation", "Situationen")}`,
      ].join(", "),
    received: (received, runs) => `${number(received)} von ${counted(runs, "Lauf", "Läufen")}`,
  },
  steps: {
    review: {
      label: (pending, more) =>
        pending === 1
          ? "1 ausstehenden Lauf bewerten"
          : `${atLeast(pending, more)} ausstehende Läufe bewerten`,
      why: "Reflect lernt nur aus bewerteten Läufen.",
    },
    seeLearning: { label: "Prüfen, ob der Agent besser wird", why: "Kein Lauf wartet auf eine Bewertung." },
    openReview: { label: "Bewertung öffnen", why: "Kein Lauf wartet auf eine Bewertung." },
    openTraces: { label: "Läufe öffnen" },
    checkKeys: {
      label: "API-Schlüssel prüfen",
      why: "In den letzten 7 Tagen wurde kein Lauf gespeichert.",
    },
    openLessons: { label: "Lektionen öffnen" },
    showFailed: {
      label: "Fehlgeschlagene Lektionen anzeigen",
      why: "Aus einigen bewerteten Läufen ist keine Lektion entstanden.",
    },
    tryTask: {
      label: "Aufgabe ausprobieren",
      why: "Es gibt Lektionen, aber nur wenige Läufe erhalten eine.",
    },
  },
  health: {
    title: "Zustand des Lernkreislaufs",
    noProblems: "Keine Probleme gefunden.",
    forDevelopers: "Für Entwickler",
    rest: (passed, unknown) =>
      `${counted(passed, "Prüfung", "Prüfungen")} bestanden${unknown === 0 ? "" : `, ${number(unknown)} ohne ausreichende Daten`}`,
    levels: {
      failing: "Fehler:",
      warning: "Warnung:",
      ok: "In Ordnung:",
      unknown: "Zu wenige Daten:",
    },
    checks: {
      nobody_reviews: {
        open: "Jetzt bewerten",
        advice: "Bewerten Sie einige davon oder lassen Sie den Rest von einem Modellprüfer bewerten.",
        also: "Modellprüfer einrichten",
      },
      credit_lost: { open: "Läufe öffnen" },
      always_empty: { open: "Aufgabe ausprobieren" },
      flat_utilities: { open: "Lernen öffnen" },
      reflection_failing: {
        open: "Betroffene Läufe anzeigen",
        advice:
          "Öffnen Sie einen Lauf, um den Grund zu sehen. Beheben Sie die Ursache und versuchen Sie es dort erneut.",
      },
      vague_feedback: {
        open: "Bewerten",
        advice:
          "Schreiben Sie, was der Agent hätte tun sollen. „Vor einer Erstattung ein Foto anfordern“ hilft, „falsch“ hilft nicht.",
      },
      judge_unreliable: {
        open: "Modellprüfer ändern",
        advice: "Ändern Sie seine Kriterien, testen Sie ihn an einem Lauf oder schalten Sie ihn aus.",
      },
      duplicates: {
        open: "Lektionen öffnen",
        advice: "Wählen Sie Lektionen mit demselben Rat aus und gruppieren Sie sie.",
      },
      open_questions: {
        open: "Fragen beantworten",
        advice: "In jeder Frage widersprechen sich zwei Lektionen. Entscheiden Sie, welche richtig ist.",
      },
      use_unreliable: {
        open: "Einstellungen der Lektionen",
        advice:
          "Lassen Sie den Agenten melden, welche Lektionen er genutzt hat, oder schalten Sie die Ableitung aus dem Lauf aus.",
      },
      grouping_unfinished: {
        open: "Einstellungen der Lektionen",
        advice:
          "Wenn sich die Zahl innerhalb einer Stunde nicht ändert, bitten Sie den Betreiber, das Serverprotokoll zu prüfen.",
      },
      one_memory_everywhere: {
        open: "Lektionen öffnen",
        advice: "Wenn sie zu allgemein ist, bearbeiten oder deaktivieren Sie sie.",
      },
      keys_expiring: {
        open: "API-Schlüssel öffnen",
        advice:
          "Rotieren Sie den API-Schlüssel und hinterlegen Sie den neuen im Programm, bevor der alte abläuft.",
      },
    },
  },
  onboarding: {
    label: "Erste Lektion",
    about: "Ihre erste Lektion",
    dismiss: "Checkliste ausblenden",
    intro:
      "Ihr Agent bearbeitet eine Aufgabe. Ein Mensch bewertet das Ergebnis. Reflect speichert eine Lektion, und der nächste Lauf mit einer ähnlichen Aufgabe erhält sie. Probieren Sie es in fünf Schritten aus.",
    done: "(erledigt)",
    titles: {
      key: "API-Schlüssel erstellen",
      run: "Lauf speichern",
      review: "Lauf bewerten",
      memory: "Die erste Lektion",
      use: "Die Lektion im Einsatz sehen",
    },
    key: {
      name: "erstes Programm",
      secret: "API-Schlüssel für das erste Programm",
      aboutSecret:
        "Er ist unten eingesetzt, bis Sie diese Seite verlassen. Unter „Einstellungen“, „API-Schlüssel“ können Sie ihn widerrufen.",
      action: "API-Schlüssel erstellen",
      needed:
        "Ihr Agent braucht einen API-Schlüssel. Damit kann er Läufe und Bewertungen speichern und Lektionen lesen, nur in diesem Projekt.",
      exists:
        "Dieses Projekt hat bereits einen API-Schlüssel oder Läufe. Erstellen Sie einen weiteren, wenn Sie das Programm unten ausprobieren möchten.",
      create: "API-Schlüssel erstellen",
      createAnother: "Weiteren API-Schlüssel erstellen",
    },
    run: {
      instruction:
        "Speichern Sie dies als Datei und führen Sie sie aus, oder fügen Sie die Zeilen in Ihren Agenten ein.",
      program: "Das Programm",
      waiting: "Der erste Lauf steht noch aus. Er erscheint hier, sobald er eintrifft.",
      stored: (runs) => `${counted(runs, "Lauf", "Läufe")} gespeichert.`,
      storedAt: (time) => <>Ein Lauf wurde gespeichert ({time}).</>,
    },
    review: {
      instruction: (pass, fail) => (
        <>
          War das Ergebnis richtig? Drücken Sie {pass} für „Bestanden“ oder {fail} für „Nicht bestanden“. Wenn
          der Lauf nicht bestanden hat, schreiben Sie, was der Agent hätte tun sollen: „Vor einer Erstattung
          ein Foto anfordern“ hilft, „falsch“ hilft nicht.
        </>
      ),
      open: "Lauf bewerten",
      reviewed: (runs) => `${counted(runs, "Lauf", "Läufe")} bewertet.`,
    },
    memory: {
      about: "Reflect schreibt aus jedem bewerteten Lauf eine Lektion. Sie erscheint hier.",
      queued:
        "Die Lektion wird 15 Sekunden nach dem Urteil geschrieben. Bis dahin können Sie das Urteil rückgängig machen.",
      failed: (reason) =>
        `Die Lektion konnte nicht geschrieben werden: ${reason ?? "Es wurde kein Grund aufgezeichnet."}`,
      retry: "Lauf öffnen und erneut versuchen",
    },
    use: {
      about: "Der nächste Lauf mit einer ähnlichen Aufgabe erhält die Lektion automatisch.",
      instruction:
        "Sehen Sie, was Ihr Agent für eine ähnliche Aufgabe erhält, oder führen Sie das Programm noch einmal aus.",
      open: "Die Lektion im Einsatz sehen",
    },
    next: {
      title: "Nächste Schritte",
      sendResult:
        "Wenn ein Test entscheidet, ob ein Lauf bestanden hat, senden Sie das Ergebnis mit dem Lauf.",
      holdout: "Die Wirkung der Lektionen mit einer Vergleichsgruppe messen",
      judge: "Läufe, die Sie nicht bewerten, von einem Modellprüfer bewerten lassen",
      invite: "Einen Prüfer einladen",
    },
  },
  story: {
    title: "So hat Ihr Agent gelernt",
    exampleTitle: "So wird Ihr Agent lernen",
    exampleBadge: "Beispiel",
    aboutExample:
      "Dieses Beispiel ist erfunden. Ihr eigenes erscheint hier, sobald eine Lektion aus einem nicht bestandenen Lauf einem späteren Lauf geholfen hat.",
    failed: "Ein Lauf hat nicht bestanden",
    explained: "Ein Prüfer hat erklärt, warum",
    passed: "Ein späterer Lauf hat die Lektion genutzt und bestanden",
    lesson: "Lektion",
    openRun: "Lauf öffnen",
    openLesson: "Lektion öffnen",
    quote: (text) => `„${text}“`,
    similarTasks: "Ähnliche Aufgaben:",
    few: (passed, runs) => `${number(passed)} von ${number(runs)}`,
    before: (share, sample) => (
      <>
        {share} bestanden vor der Lektion {sample}
      </>
    ),
    after: (share, sample) => (
      <>
        {share} bestanden danach {sample}
      </>
    ),
    example: {
      failedTask: "Bestellung 1182 erstatten, die Lampe kam kaputt an",
      failedLine: "Ich habe 49,90 auf die Karte erstattet.",
      feedback: "30,00 wurden mit einem Gutschein bezahlt. Dieser Teil muss zurück auf den Gutschein.",
      lesson:
        "Nachsehen, wie die Bestellung bezahlt wurde. Den Teil, der mit einem Gutschein bezahlt wurde, auf den Gutschein erstatten.",
      passedTask: "Bestellung 2047 erstatten, falsche Größe",
      passedLine: "Ich habe 19,90 auf die Karte und 30,00 auf den Gutschein erstattet.",
    },
  },
};
