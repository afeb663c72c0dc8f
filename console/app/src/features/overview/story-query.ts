// The story of one lesson: a run that failed, what the reviewer said, and a later run that used the lesson and passed.
import { queryOptions } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { components } from "../../api/schema";
import { isSignal, shortName } from "../../parts/reviewer";
import { t } from "../../texts";

export type Story = components["schemas"]["Story"];
export type StoryRun = components["schemas"]["StoryRun"];

/** The project's story, or null if no lesson has one yet. */
export const storyQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "story"],
    queryFn: async ({ signal }) => {
      const answer = api.GET("/v1/projects/{project_id}/overview/story", {
        params: { path: { project_id: project } },
        signal,
      });
      return (await body(answer)).story;
    },
    // An example does not have to follow every event.
    staleTime: 60_000,
    // The overview waits for it, and can be shown without it.
    retry: false,
  });

/** Shown, with a label, until the project has its own story. */
export function exampleStory(): Story {
  const texts = t.overview.story.example;
  return {
    failed: { trace_id: "", task: texts.failedTask, line: texts.failedLine, step: null, at: "" },
    lesson: { lesson_id: "", summary: texts.lesson, feedback: texts.feedback, reviewer: "member:Ana" },
    passed: { trace_id: "", task: texts.passedTask, line: texts.passedLine, step: null, at: "" },
    before: { reviewed: 22, passed: 8 },
    after: { reviewed: 30, passed: 25 },
  };
}

/** Who explained it: `member:ana` is `ana`, and a signal has the name of its source. An API key has none. */
export const authorOf = (reviewer: string): string | null =>
  reviewer.startsWith("member:") || isSignal(reviewer) ? shortName(reviewer) : null;
