// Reads and changes lessons. A lesson is one text for one or more situations, which the API calls memories.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders } from "./client";
import type { MemorySort } from "./memories";
import type { Schemas } from "./types";

export type Lesson = Schemas["Lesson"];
export type LessonDetail = Schemas["LessonDetail"];
export type LessonQuestion = Schemas["LessonQuestion"];
export type LessonQuestionSide = Schemas["LessonQuestionSide"];
export type QuestionAnswer = Schemas["QuestionAnswer"];

const at = (project: string) => ({ path: { project_id: project } });

/** The list of lessons. Like the list of memories, it is not refetched while the user reads it. */
export const lessonRowsQuery = (project: string, q: string, sort: MemorySort) =>
  infiniteQueryOptions({
    queryKey: [project, "lesson-rows", q, sort],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        sort,
        limit: 100,
        ...(q === "" ? {} : { q }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/lessons", { params: { ...at(project), query }, signal }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** The newest lessons that match a filter text, to choose one of them. */
export const lessonsFoundQuery = (project: string, q: string) =>
  queryOptions({
    queryKey: [project, "lessons", "found", q],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/lessons", {
          params: { ...at(project), query: { limit: 10, ...(q === "" ? {} : { q }) } },
          signal,
        }),
      ),
  });

export const lessonQuery = (project: string, lesson: string) =>
  queryOptions({
    queryKey: [project, "lessons", lesson],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/lessons/{lesson_id}", {
          params: { path: { project_id: project, lesson_id: lesson } },
          signal,
        }),
      ),
  });

/** The last changes of the project, with those that the server made by itself. */
export const allActionsQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "actions", "all"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/actions", {
          params: { ...at(project), query: { limit: 100, include_automatic: true } },
          signal,
        }),
      ),
  });

/** The open questions, at most 50, and whether there are more. */
export const questionsQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "lesson-questions"],
    queryFn: async ({ signal }) => {
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/lesson-questions", {
          params: { ...at(project), query: { open: true, limit: 50 } },
          signal,
        }),
      );
      return { questions: response.data, more: response.headers.has("X-Next-Cursor") };
    },
  });

export const groupingQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "lesson-grouping"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/lesson-grouping", { params: at(project), signal })),
    // Progress is not published as an event, so this query polls.
    refetchInterval: (query) => (query.state.data?.state === "running" ? 2_000 : false),
  });

export const groupLessons = (project: string, into: string, lessons: readonly string[]) =>
  body(
    api.POST("/v1/projects/{project_id}/lessons/group", {
      params: at(project),
      body: { into, lesson_ids: [...lessons] },
    }),
  );

export const splitLesson = (project: string, lesson: string, memories: readonly string[]) =>
  body(
    api.POST("/v1/projects/{project_id}/lessons/{lesson_id}/split", {
      params: { path: { project_id: project, lesson_id: lesson } },
      body: { memory_ids: [...memories] },
    }),
  );

export const moveMemory = (project: string, memory: string, lesson: string) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/{memory_id}/move", {
      params: { path: { project_id: project, memory_id: memory } },
      body: { lesson_id: lesson },
    }),
  );

export const answerQuestion = (project: string, question: string, answer: QuestionAnswer) =>
  body(
    api.POST("/v1/projects/{project_id}/lesson-questions/{question_id}/answer", {
      params: { path: { project_id: project, question_id: question } },
      body: { answer },
    }),
  );

export const startGrouping = (project: string) =>
  body(api.POST("/v1/projects/{project_id}/lesson-grouping/start", { params: at(project) }));

export const revertGrouping = (project: string) =>
  body(api.POST("/v1/projects/{project_id}/lesson-grouping/revert", { params: at(project) }));
