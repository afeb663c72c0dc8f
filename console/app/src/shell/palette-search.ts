// Searches runs and lessons for the command palette.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, body } from "../api/client";
import { shown } from "../parts/reveal";

export type Found = { id: string; text: string };
type Results = { runs: Found[]; lessons: Found[] };

const NOTHING: Results = { runs: [], lessons: [] };
/** Shorter texts match nearly everything. */
const SHORTEST = 2;
const MOST = 5;
const DELAY_MS = 150;

/** The text as one term of the filter language. */
export const asTerm = (text: string) => `"${text.replaceAll('"', "")}"`;

const searchQuery = (project: string, text: string) =>
  queryOptions({
    queryKey: [project, "palette", text],
    queryFn: async ({ signal }): Promise<Results> => {
      const path = { project_id: project };
      const q = asTerm(text);
      const [runs, lessons] = await Promise.all([
        body(
          api.GET("/v1/projects/{project_id}/traces/rows", {
            params: { path, query: { q, limit: MOST } },
            signal,
          }),
        ),
        body(
          api.GET("/v1/projects/{project_id}/lessons", {
            params: { path, query: { q, limit: MOST } },
            signal,
          }),
        ),
      ]);
      return {
        runs: runs.map((run) => ({ id: run.id, text: shown(run.task) })),
        lessons: lessons.map((lesson) => ({ id: lesson.id, text: shown(lesson.summary || lesson.task) })),
      };
    },
    // The last results stay visible while the user types.
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The runs and lessons of the project that contain the text. */
export function usePaletteSearch(project: string, text: string): Results & { error: Error | null } {
  const wanted = useDelayed(text.trim());
  const isOn = wanted.length >= SHORTEST && text.trim().length >= SHORTEST;
  const { data, error } = useQuery({ ...searchQuery(project, wanted), enabled: isOn });
  return { ...((isOn ? data : undefined) ?? NOTHING), error: isOn ? error : null };
}

function useDelayed(text: string): string {
  const [delayed, setDelayed] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return delayed;
}
