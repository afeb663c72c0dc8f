import { counted, fixed, number, percent } from "../../../parts/time";
import type { Texts } from "../../en";

export const embedding: Texts["settings"]["embedding"] = {
  title: "Embedding-Modell",
  about: "Wie Lektionen gefunden werden",
  seeOrChange: "das Embedding-Modell ansehen oder ändern",
  now: "Aktuell",
  nowAbout:
    "Das Modell findet Lektionen zu ähnlichen Aufgaben. Der Betreiber des Servers wählt es für alle Projekte. Sie bestimmen, wann dieses Projekt zu einem neuen wechselt.",
  none: "Keines: Der Server hat kein Embedding-Modell, oder das Projekt hat noch keine Lektionen. Lektionen werden anhand ihrer Wörter gefunden.",
  reads: "Abrufe verwenden",
  writes: "Neue Lektionen verwenden zusätzlich",
  space: (name, threshold, available) =>
    `${name}, Mindestähnlichkeit ${fixed(threshold)}${available ? "" : " (auf diesem Server nicht verfügbar)"}`,
  change: "Modell wechseln",
  converted: "Umgewandelte Lektionen",
  progress: (done, total) => `${number(done)} von ${counted(total, "Lektion", "Lektionen")}`,
  fromTo: (from, to, switched, updated) => (
    <>
      Von {from} zu {to}
      {switched === null ? "" : <>; zuletzt gewechselt {switched}</>}
      {updated === null ? "" : <>; letzte Änderung {updated}</>}
    </>
  ),
  blocked: (error) => `Blockiert: ${error}`,
  comparison: {
    title: (queries) =>
      queries === 1
        ? "Derselbe Abruf mit beiden Modellen"
        : `Dieselben ${number(queries)} Abrufe mit beiden Modellen`,
    overlap: (share) => `Im Durchschnitt sind ${percent(share)} der Ergebnisse gleich.`,
    sameFirst: (share) => `${percent(share)} der Abrufe haben dasselbe erste Ergebnis.`,
    rankChange: (places) => `Im Durchschnitt verschiebt sich ein Ergebnis um ${fixed(places, 1)} Plätze.`,
    results: (from, to) =>
      `Mit dem alten Modell haben ${number(from.questions)} Abrufe Ergebnisse (insgesamt ${number(from.memories)}, Mindestähnlichkeit ${fixed(from.similarity_threshold)}), mit dem neuen ${number(to.questions)} (insgesamt ${number(to.memories)}, Mindestähnlichkeit ${fixed(to.similarity_threshold)}).`,
    suggested: (threshold) =>
      `Mit einer Mindestähnlichkeit von ${fixed(threshold, 3)} liefert das neue Modell so viele Ergebnisse wie das alte.`,
    use: "Übernehmen",
    mostChanged: (count) => `Abrufe mit den größten Änderungen (${number(count)})`,
    changed: (share, places) => `${percent(share)} gleich, ${fixed(places, 1)} Plätze`,
  },
};
