// Every read of the server, with the key that it is kept under. Topics of live updates are the second word of a key.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders, own } from "./client";
import type { RowsQuery } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => body(own.GET("/console/api/session", { signal })),
  staleTime: 60_000,
});

export const overviewQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "overview"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/overview", { params: at(project), signal })),
  });

export const healthQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "health"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/loop-health", { params: at(project), signal })),
  });

export const queueQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "review-queue"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/review-queue", { params: at(project), signal })),
  });

export const rowsQuery = (project: string, filter: RowsQuery) =>
  infiniteQueryOptions({
    queryKey: [project, "rows", filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...filter, limit: 100, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      const answer = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/traces/rows", { params: { ...at(project), query }, signal }),
      );
      return { rows: answer.data, next: answer.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

/** A trace without its messages, which are read step by step. */
export const traceQuery = (project: string, trace: string) =>
  queryOptions({
    queryKey: [project, "traces", trace],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/traces/{trace_id}", {
          params: { path: { project_id: project, trace_id: trace }, query: { trajectory: "none" } },
          signal,
        }),
      ),
  });

/** How many steps are asked for at a time. */
export const STEPS_AT_ONCE = 200;

/** Messages never change, so what was read of them stays good. */
export const stepsQuery = (project: string, trace: string, from: number, count = STEPS_AT_ONCE) =>
  queryOptions({
    queryKey: [project, "steps", trace, from, count],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/traces/{trace_id}/steps", {
          params: {
            path: { project_id: project, trace_id: trace },
            query: { from, to: from + count },
          },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

const at = (project: string) => ({ path: { project_id: project } });
