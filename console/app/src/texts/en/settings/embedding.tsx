import type { ReactNode } from "react";
import { counted, fixed, number, percent } from "../../../parts/time";

type Results = { questions: number; memories: number; similarity_threshold: number };

export const embedding = {
  title: "Embedding model",
  about: "How lessons are found",
  seeOrChange: "see or change the embedding model",
  now: "Now",
  nowAbout:
    "The model finds lessons from similar tasks. The operator of the server chooses it for all projects. You choose when this project changes to a new one.",
  none: "None: the server has no embedding model, or the project has no lessons yet. Lessons are found by their words.",
  reads: "Queries use",
  writes: "New lessons also use",
  space: (name: string, threshold: number, available: boolean) =>
    `${name}, minimum similarity ${fixed(threshold)}${available ? "" : " (not available on this server)"}`,
  change: "Change the model",
  converted: "Lessons converted",
  progress: (done: number, total: number) => `${number(done)} of ${counted(total, "lesson", "lessons")}`,
  fromTo: (from: string, to: string, switched: ReactNode, updated: ReactNode) => (
    <>
      From {from} to {to}
      {switched === null ? "" : <>; last switched {switched}</>}
      {updated === null ? "" : <>; last change {updated}</>}.
    </>
  ),
  blocked: (error: string) => `Blocked: ${error}`,
  comparison: {
    title: (queries: number) => `The same ${counted(queries, "query", "queries")} with both models`,
    overlap: (share: number) => `On average, ${percent(share)} of the results are the same.`,
    sameFirst: (share: number) => `${percent(share)} of the queries have the same first result.`,
    rankChange: (places: number) => `On average, a result moves by ${fixed(places, 1)} places.`,
    results: (from: Results, to: Results) =>
      `With the old model, ${number(from.questions)} queries have results (${number(from.memories)} in total, minimum similarity ${fixed(from.similarity_threshold)}); with the new one ${number(to.questions)} (${number(to.memories)}, minimum similarity ${fixed(to.similarity_threshold)}).`,
    suggested: (threshold: number) =>
      `With a minimum similarity of ${fixed(threshold, 3)}, the new model returns as many results as the old one.`,
    use: "Use it",
    mostChanged: (count: number) => `Queries with the largest changes (${number(count)})`,
    changed: (share: number, places: number) => `${percent(share)} the same, ${fixed(places, 1)} places`,
  },
};
