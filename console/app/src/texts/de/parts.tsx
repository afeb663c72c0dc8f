import { counted, number } from "../../parts/time";
import type { Texts } from "../en";

const runs = (n: number) => counted(n, "Lauf", "Läufe");
/** After `von`, for example `6 von 7 Läufen`. */
const ofRuns = (n: number) => counted(n, "Lauf", "Läufen");
const passed = (passes: number, reviews: number) => `${number(passes)} von ${ofRuns(reviews)} bestanden`;
const reviewedRuns = (n: number) => (n === 1 ? "bewerteter Lauf" : "bewertete Läufe");

export const parts: Texts["parts"] = {
  time: {
    justNow: "gerade eben",
    duration: {
      seconds: (seconds) => `${seconds} Sek.`,
      minutes: (minutes) => `${minutes} Min.`,
      hours: (hours, minutes) => `${hours} Std. ${minutes} Min.`,
      days: (days, hours) => `${counted(days, "Tag", "Tage")} ${hours} Std.`,
    },
  },
  size: {
    bytes: (n) => `${number(n)} Byte`,
    kB: (size) => `${size} kB`,
    MB: (size) => `${size} MB`,
    GB: (size) => `${size} GB`,
  },
  copy: {
    copy: "Kopieren",
    copied: "Kopiert",
    announcement: "Kopiert.",
    blocked: "Der Browser erlaubt das Kopieren nicht. Markieren Sie den Text, und kopieren Sie ihn.",
  },
  filter: {
    label: "Filter",
    invalid: "(ungültig)",
    remove: (term) => `${term} entfernen`,
  },
  json: {
    searchIn: (label) => `Suchen in: ${label}`,
    placeholder: "Namen und Werte suchen",
    found: (count) => `${count} gefunden`,
    more: (next, total) => `${number(next)} weitere von ${number(total)}`,
    allCharacters: (count) => `alle ${number(count)} Zeichen`,
    copyPath: "Pfad kopieren",
    copyPathOf: (path) => `Pfad ${path} kopieren`,
    copyValue: "Wert kopieren",
    copyValueOf: (path) => `Wert von ${path} kopieren`,
    entries: (count) => counted(count, "Eintrag", "Einträge"),
    fields: (count) => counted(count, "Feld", "Felder"),
  },
  value: {
    unused: "Noch unklar: noch nicht verwendet",
    early: (passes, reviews) => `Noch unklar: ${passed(passes, reviews)}`,
    none: (passes, reviews) => `Keine klare Wirkung: ${passed(passes, reviews)}`,
    helps: (passes, reviews) => `Hilft: ${passed(passes, reviews)}`,
    helpsMore: (passes, reviews) => `Hilft: ${passed(passes, reviews)}, mehr als erwartet`,
    harms: (failed, reviews) => `Schadet: ${number(failed)} von ${ofRuns(reviews)} nicht bestanden`,
    harmsFewer: (passes, reviews) => `Schadet: ${passed(passes, reviews)}, weniger als erwartet`,
    details: "Details",
    detailsOf: "zum Wert der Lektion",
    usedBy: "Läufe mit dieser Lektion",
    noneReviewed: "noch keiner bewertet",
    passRate: (rate, passes, reviews) => `${rate} bestanden (${number(passes)} von ${number(reviews)})`,
    credit: "Beitrag",
    creditNumbers: (credit, interval, n) =>
      `${credit} (95-%-Konfidenzintervall ${interval}, n = ${number(n)})`,
    utility: "Nutzwert",
    allCredits: "Alle Beiträge",
    creditRange: (low, high, situations) =>
      `${low} bis ${high} (${counted(situations, "Situation", "Situationen")})`,
    explanation:
      "Der Beitrag vergleicht die Läufe mit dieser Lektion mit dem, was von ihnen zu erwarten war: 0,5 bedeutet keinen Unterschied. Er zeigt einen Zusammenhang, keine Ursache. Der Nutzwert bestimmt die Reihenfolge beim Abruf.",
  },
  markdown: {
    image: (address) => `Bild nicht geladen ${address}`,
    namedImage: (name, address) => `Bild nicht geladen: ${name} ${address}`,
    tooLong: (most) => `Als einfacher Text angezeigt: länger als ${number(most)} Zeichen.`,
    tooDeep: (most) => `Als einfacher Text angezeigt: tiefer als ${number(most)} Ebenen verschachtelt.`,
  },
  outcome: { pass: "bestanden", fail: "nicht bestanden", pending: "ausstehend" },
  preview: { label: "Vorschau", open: "Öffnen", move: "bewegen", close: "Schließen" },
  runText: {
    showMore: (size) => `Mehr anzeigen (${size})`,
    showAll: (size) => `Alles anzeigen (${size})`,
    loadRest: (size) => `Rest laden (insgesamt ${size})`,
  },
  secret: { onlyOnce: "Wird nur einmal angezeigt." },
  snippet: {
    copyPip: "Für pip kopieren",
    copyUv: "Für uv kopieren",
    style: "Stil des Programms",
    forms: { "Context manager": "Kontextmanager", Decorator: "Dekorator", Explicit: "Explizit" },
    program: "Programm",
    copy: "Programm kopieren",
  },
  source: { success: "aus einem Erfolg", failure: "aus einem Fehler" },
  signals: {
    sources: {
      ci: "CI",
      tests: "Tests",
      user: "Nutzer",
      ticket: "Tickets",
      merge: "Merges",
      evaluation: "Auswertungen",
    },
    reviewer: (source) => `${source} (Signal)`,
  },
  table: {
    selected: "Ausgewählt",
    selectAll: (loaded) =>
      loaded === 1 ? "Die geladene Zeile auswählen" : `Alle ${number(loaded)} geladenen Zeilen auswählen`,
    select: (row) => `${row} auswählen`,
  },
  notifications: { label: "Benachrichtigungen", close: "Benachrichtigung schließen" },
  chart: {
    values: "Werte des Diagramms",
    hint: "Zeigen Sie auf das Diagramm, oder setzen Sie den Fokus darauf und drücken Sie ← oder →, um einen Wert zu lesen.",
    data: "Daten des Diagramms",
    showChart: "Diagramm anzeigen",
    showTable: "Tabelle anzeigen",
    copyCsv: "CSV kopieren",
    day: "Tag (UTC)",
    days: "Tage",
    reviewed: "Bewertete Läufe",
    passed: "Bestanden",
    failed: "Nicht bestanden",
    rate: "Erfolgsquote",
    interval: "95-%-Konfidenzintervall",
    runs: "Läufe",
    range: (from, to) => `${from} bis ${to}`,
    at: (place, value) => `${place}: ${value}`,
    sample: (passes, n, interval) =>
      `${number(passes)} von ${number(n)}, 95-%-Konfidenzintervall ${interval}`,
    passRate: (rate, sample) => `${rate} bestanden (${sample})`,
    passRateNode: (rate, sample) => (
      <>
        {rate} bestanden {sample}
      </>
    ),
    trend: {
      one: (rate, days) => `${rate}, ${days}.`,
      before: (rate, sample, days) => `${rate} (${sample}), ${days}`,
      better: (now, before) => `Besser: ${now} Anfangs: ${before}.`,
      worse: (now, before) => `Schlechter: ${now} Anfangs: ${before}.`,
      unclear: (now, before) => `Keine klare Veränderung: ${now} Anfangs: ${before}.`,
    },
    noReviews: "In den letzten 30 Tagen wurde kein Lauf bewertet.",
    fewPeriods: (least, reviews, there) => {
      const now = ["Noch gibt es keinen.", "Bisher gibt es einen.", "Bisher gibt es zwei."][there] ?? "";
      return `Ein Diagramm braucht ${least} Zeiträume mit je mindestens ${reviews} bewerteten Läufen an verschiedenen Tagen. ${now}`;
    },
    fewDays: (least, there) =>
      `Ein Diagramm braucht Bewertungen an mindestens ${least} Tagen. Es gibt Bewertungen an ${counted(there, "Tag", "Tagen")}.`,
    reviewedRuns: (count, n) => (
      <>
        {count} {reviewedRuns(n)}
      </>
    ),
    dayValue: (day, reviews, passes) =>
      `${day}: ${number(reviews)} ${reviewedRuns(reviews)}, ${number(passes)} bestanden`,
    daysSummary: (reviews, active, days, most) =>
      `${runs(reviews)} an ${number(active)} von ${number(days)} Tagen bewertet, höchstens ${number(most)} an einem Tag.`,
  },
};
