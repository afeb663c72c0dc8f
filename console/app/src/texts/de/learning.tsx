import { counted, fixed, number, percent } from "../../parts/time";
import type { Texts } from "../en";

export const learning: Texts["learning"] = {
  notLoaded: "Die Zahlen konnten nicht geladen werden",
  sample: (reviewed) => `${counted(reviewed, "bewerteter Lauf", "bewertete Läufe")} in den letzten 30 Tagen`,
  questions: {
    help: "Helfen die Lektionen?",
    better: "Wird der Agent besser?",
    reviewed: "Wie viel wird bewertet?",
    receive: "Erhalten Läufe Lektionen?",
    judge: "Ist der Modellprüfer verlässlich?",
  },
  aboutRate: (period, reviewed, runs) =>
    `Nach dem Tag der Bewertung; Tage werden zusammengefasst, bis ein Zeitraum ${number(period)} bewertete Läufe hat. Nur bewertete Läufe zählen: ${number(reviewed)} von ${number(runs)} in den letzten 7 Tagen.`,
  openJudge: "Einstellungen des Modellprüfers öffnen",
  tooFew: {
    title: (reviewed, needed) => `${number(reviewed)} von ${number(needed)} bewerteten Läufen`,
    about: (missing) =>
      `Bewerten Sie noch ${counted(missing, "Lauf", "Läufe")}, um zu sehen, ob Ihr Agent besser wird. Mit weniger sagt das Ergebnis wenig aus: 7 von 10 bestanden kann alles zwischen 40 und 89 % bedeuten. Es zählen die Bewertungen der letzten 30 Tage.`,
    progress: "Bewertete Läufe",
    review: (pending) => `${counted(pending, "ausstehenden Lauf", "ausstehende Läufe")} bewerten`,
    nothingPending:
      "Kein Lauf wartet auf eine Bewertung. Starten Sie Ihren Agenten erneut oder senden Sie das Ergebnis mit jedem Lauf.",
  },
  uplift: {
    help: "Lektionen helfen",
    hurt: "Lektionen schaden",
    unknown: "Ohne Vergleichsgruppe unbekannt",
    notEnough: "Noch zu wenige Daten",
    needsBoth: "Beide Gruppen brauchen bewertete Läufe.",
    needsMore: "Bewerten Sie mehr Läufe aus beiden Gruppen.",
    needsHeldOut: (runs) =>
      `Für ein Ergebnis bewerten Sie noch etwa ${counted(runs, "Lauf", "Läufe")} ohne Lektionen.`,
    difference: (value, low, high, causal) =>
      `${value} Prozentpunkte (95-%-Konfidenzintervall ${low} bis ${high}${causal ? "" : "; ein Zusammenhang, keine Ursache"})`,
    chart: (value, low, high) =>
      `Unterschied der Erfolgsquoten: ${value} Prozentpunkte, 95-%-Konfidenzintervall ${low} bis ${high}. Null bedeutet kein Unterschied.`,
    endHurt: (points) => `${points} Lektionen schaden`,
    endHelp: (points) => `Lektionen helfen ${points}`,
    table: "Läufe mit und ohne Lektionen",
    columns: {
      group: "Gruppe",
      runs: "Läufe",
      reviewed: "Bewertet",
      passed: "Bestanden",
      rate: "Erfolgsquote",
    },
    withLessons: "Mit Lektionen",
    withoutLessons: "Ohne Lektionen",
    heldOut: "Ohne Lektionen, zum Vergleich",
    aboutHoldout: (link) => (
      <>
        Um zu erfahren, ob die Lektionen die Ursache sind, halten Sie sie bei einem zufälligen Teil der Läufe
        zurück. {link}
      </>
    ),
    setUpHoldout: "Vergleichsgruppe einrichten",
  },
  use: {
    none: "In den letzten 7 Tagen wurde kein Lauf gespeichert.",
    share: (share, sample) => (
      <>
        {share} der Läufe der letzten 7 Tage {sample}
      </>
    ),
    chart: (share, sample) => `${share} der Läufe haben eine Lektion erhalten (${sample})`,
    about:
      "Ein Lauf erhält keine Lektion, wenn keine zu seiner Aufgabe passt, wenn er zur Vergleichsgruppe gehört oder wenn der Agent Lektionen nicht abruft oder nicht meldet.",
  },
  lists: {
    helpful: "Hilfreichste Lektionen",
    noneHelpful: "Noch hat keine Lektion einem bewerteten Lauf geholfen.",
    harmful: "Am wenigsten hilfreiche Lektionen",
    noneHarmful: "Keine Lektion hat genug bewertete Läufe, die schlechter verliefen als erwartet.",
    about: "Beurteilt nach den bewerteten Läufen, die sie genutzt haben.",
  },
  judge: {
    unknown:
      "Noch unbekannt: Kein Lauf hat sowohl ein verdecktes Urteil des Modellprüfers als auch die Bewertung eines Menschen.",
    agreement: (share, sample) =>
      `Der Modellprüfer und Menschen stimmen bei ${share} der Läufe überein (${sample}).`,
    chart: (share, sample) => `Übereinstimmung ${share} (${sample})`,
    right: (of) =>
      `Er liegt richtig bei ${number(of.passes_right)} von ${counted(of.passes, "Lauf", "Läufen")}, die Menschen als bestanden bewertet haben, und bei ${number(of.fails_right)} von ${number(of.fails)}, die sie als nicht bestanden bewertet haben.`,
    details: "Details",
    informedness: (of) =>
      `Youden-Index ${fixed(of.informedness)} (0 ist Zufall, 1 ist perfekt). Eine Bewertung des Modellprüfers verschiebt den Nutzwert einer Lektion um ${percent(of.step)} des Abstands zu seinem Urteil.`,
    lastWeek: (week) =>
      `Letzte 7 Tage: ${counted(week.judged, "Lauf", "Läufe")} beurteilt. ${number(week.passed)} bestanden, ${number(week.failed)} nicht bestanden, ${number(week.unclear)} unklar; ${number(week.blind)} zum Vergleich verdeckt. ${number(week.applied)} wurden zu Bewertungen.`,
  },
};
