// Server reads of the settings and learning pages, with their query keys.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders, consoleApi } from "./client";
import type { Schemas } from "./types";

const at = (project: string) => ({ path: { project_id: project } });

export const projectQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "project"],
    queryFn: ({ signal }) => body(api.GET("/v1/projects/{project_id}", { params: at(project), signal })),
  });

export const upliftQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "uplift"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/uplift", { params: at(project), signal })),
  });

export const judgeQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "judge"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/judge", { params: at(project), signal })),
  });

export const signalSourcesQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "signals", "sources"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/signals/sources", { params: at(project), signal })),
  });

/** The largest page size that the server accepts. */
const PAGE = 100;

export const keysQuery = (project: string) =>
  infiniteQueryOptions({
    queryKey: [project, "api-keys"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/api-keys", { params: { ...at(project), query }, signal }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

export const actionsQuery = (project: string, automatic: boolean) =>
  infiniteQueryOptions({
    queryKey: [project, "actions", automatic],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        limit: 50,
        include_automatic: automatic,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/actions", { params: { ...at(project), query }, signal }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

export const auditQuery = (project: string, installation: boolean) =>
  infiniteQueryOptions({
    queryKey: [project, "audit", installation],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: 50, installation, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/audit", { params: { ...at(project), query }, signal }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

export const embeddingQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "embedding-change"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/embedding-change", { params: at(project), signal })),
    // Backfill progress is not published as an event, so this query polls.
    refetchInterval: (query) => (query.state.data?.state === "filling" ? 2_000 : false),
  });

export const erasureQuery = (project: string, erasure: string) =>
  queryOptions({
    queryKey: [project, "erasures", erasure],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/erasures/{erasure_id}", {
          params: { path: { project_id: project, erasure_id: erasure } },
          signal,
        }),
      ),
    refetchInterval: (query) => (query.state.data?.state === "done" ? false : 1_000),
  });

export const projectMembersQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "members"],
    queryFn: ({ signal }) =>
      body(api.GET("/v1/projects/{project_id}/members", { params: at(project), signal })),
  });

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: ({ signal }) => body(consoleApi.GET("/console/api/members", { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => body(consoleApi.GET("/console/api/sessions", { signal })),
});

export const readyQuery = queryOptions({
  queryKey: ["ready"],
  // A server that is not ready responds with 503 and the same body.
  queryFn: async ({ signal }): Promise<Schemas["Readiness"]> => {
    const response = await consoleApi.GET("/ready", { signal });
    return response.data ?? (response.error as Schemas["Readiness"]);
  },
});
