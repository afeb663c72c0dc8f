// All server reads with their query keys. The second part of a key is the topic of live updates.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders, consoleApi } from "./client";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => body(consoleApi.GET("/console/api/session", { signal })),
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

/** The trace list. The server parses the filter text. */
export const rowsQuery = (project: string, q: string) =>
  infiniteQueryOptions({
    queryKey: [project, "rows", q],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        limit: 100,
        ...(q === "" ? {} : { q }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/traces/rows", { params: { ...at(project), query }, signal }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

/** A trace without its messages. Messages are read step by step. */
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

/** The signals about a trace. */
export const traceSignalsQuery = (project: string, trace: string) =>
  queryOptions({
    queryKey: [project, "signals", "trace", trace],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/traces/{trace_id}/signals", {
          params: { path: { project_id: project, trace_id: trace } },
          signal,
        }),
      ),
  });

/** The number of steps per request. */
export const STEPS_AT_ONCE = 200;

/** Messages never change, so cached messages never become stale. */
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
