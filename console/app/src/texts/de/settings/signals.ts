import { counted, duration, fixed, number, percent } from "../../../parts/time";
import type { Texts } from "../../en";

const wait = (seconds: number) => (seconds === 0 ? "keine" : duration(seconds));

export const signals: Texts["settings"]["signals"] = {
  title: "Signale",
  about: "Ergebnisse von Läufen, die andere Systeme melden",
  changeRules: "diese Regeln ändern",
  sources: "Quellen",
  sourcesAbout:
    "Signale werden nach der Regel ihrer Quelle zu Bewertungen. Je seltener eine Quelle mit Menschen übereinstimmt, desto weniger zählen ihre Bewertungen. Ihre eigene Bewertung ersetzt sie immer.",
  notCounted: "zählt nicht",
  stopped: "angehalten: stimmt zu selten mit Menschen überein",
  change: "Ändern",
  changeRule: (source) => `Regel ändern: ${source}`,
  rule: (rule) =>
    `Wartezeit nach „bestanden“: ${wait(rule.wait_pass_seconds)}, nach „nicht bestanden“: ${wait(rule.wait_fail_seconds)}. Vorrang ${number(rule.precedence)}. Eine Punktzahl ab ${fixed(rule.pass_from)} ist bestanden, unter ${fixed(rule.fail_below)} nicht bestanden.`,
  unknown:
    "Übereinstimmung mit Menschen: noch unbekannt. Kein Lauf hat sowohl ein Signal als auch eine unabhängige Bewertung.",
  agreement: (share, sample) => `Die Quelle und Menschen stimmen bei ${share} der Läufe überein (${sample}).`,
  chart: (source, share, sample) => `${source}: Übereinstimmung ${share} (${sample})`,
  learningRate: (step) =>
    `Eine Bewertung dieser Quelle verschiebt den Nutzwert einer Lektion um ${percent(step)} des Abstands zu ihrem Ergebnis.`,
  details: "Einzelheiten",
  right: (of) =>
    `Sie liegt richtig bei ${number(of.passes_right)} von ${counted(of.passes, "Lauf", "Läufen")}, die Menschen als bestanden bewertet haben, und bei ${number(of.fails_right)} von ${number(of.fails)}, die sie als nicht bestanden bewertet haben. Youden-Index ${fixed(of.informedness)} (0 ist Zufall, 1 ist perfekt).`,
  lastWeek: (week) =>
    `Letzte 7 Tage: ${counted(week.signals, "Signal", "Signale")}, davon ${number(week.waiting)} bisher ohne Lauf. ${counted(week.reviews, "Bewertung zählt", "Bewertungen zählen")}.`,
  form: {
    counts: "Aus diesen Signalen Bewertungen machen",
    countsHint: "Sonst werden sie nur gespeichert und angezeigt.",
    waitPass: {
      name: "Wartezeit nach „bestanden“",
      label: "Wartezeit nach „bestanden“, in Stunden",
      hint: "Zeit für ein Signal, das widerspricht, etwa einen Revert.",
    },
    waitFail: {
      name: "Wartezeit nach „nicht bestanden“",
      label: "Wartezeit nach „nicht bestanden“, in Stunden",
      hint: "Zeit für ein Signal, das widerspricht, etwa einen wiederholten Build.",
    },
    precedence: {
      name: "Vorrang",
      label: "Vorrang, 0 bis 100",
      hint: "Wenn Quellen einander widersprechen, gewinnt die höhere; bei gleichen das spätere Signal.",
    },
    passFrom: {
      name: "Punktzahl für „bestanden“",
      label: "Punktzahl für „bestanden“, mindestens",
      hint: "Nur für Quellen, die Punktzahlen von 0 bis 1 melden.",
    },
    failBelow: {
      name: "Punktzahl für „nicht bestanden“",
      label: "Punktzahl für „nicht bestanden“, unter",
      hint: "Eine Punktzahl dazwischen ist kein Ergebnis.",
    },
    wholePrecedence: "Vorrang: Geben Sie eine ganze Zahl ein.",
    order: "Die Punktzahl für „nicht bestanden“ darf nicht höher sein als die für „bestanden“.",
    usual: "Übliche Regel verwenden",
  },
  add: {
    title: "Weitere Quelle",
    about:
      "Für andere Quellen gilt die übliche Regel. Fügen Sie eine hinzu, um ihre Regel zu ändern, bevor sie meldet.",
    name: "Name der Quelle",
    nameHint:
      "Wie in ihren Signalen: bis zu 40 der Zeichen a-z, 0-9, „_“, „-“ und „.“, das erste ein Buchstabe.",
    exists: "Diese Quelle ist schon aufgeführt.",
    invalid: "Das ist kein Name einer Quelle.",
    submit: "Quelle hinzufügen",
  },
  project: {
    title: "Alle Quellen",
    blind: {
      name: "Zurückgehaltene Signale",
      label: "Zurückgehaltene Signale, in Prozent",
      hint: "Der Anteil der Läufe, deren Signale nicht zu Bewertungen werden und verdeckt bleiben, bis ein Mensch den Lauf bewertet hat. An ihnen wird die Übereinstimmung gemessen.",
    },
    matching: "Welche Läufe ein Schlüssel meint",
    matchings: {
      latest: { label: "Den neuesten Lauf", hint: "der vor dem Signal begann" },
      all: { label: "Alle Läufe", hint: "die in den 30 Tagen davor begannen" },
      only: { label: "Den einzigen Lauf", hint: "keinen, wenn mehrere Läufe den Schlüssel angeben" },
    },
  },
};
