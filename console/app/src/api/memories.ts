// Reads and changes memories. Every change is a server action. Its id is needed to undo it.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type StoredMemory = Schemas["StoredMemory"];
export type MemoryDetail = Schemas["MemoryDetail"];
export type MemoryVersion = Schemas["MemoryVersion"];
export type HistoryStep = Schemas["HistoryStep"];
export type MemoryStatus = Schemas["MemoryStatus"];
export type MemorySort = Schemas["MemorySort"];
export type MemorySelection = Schemas["MemorySelection"];
export type EditMemory = Schemas["EditMemory"];
export type BulkAction = Schemas["CareVerb"];

/** Which memories a bulk action changes: by fields, or by a filter text. */
export type BulkSelection = { filter: MemorySelection } | { q: string };

/** Actions on one memory that need no parameters. */
export type MemoryAction = "disable" | "enable" | "pin" | "unpin" | "quarantine" | "release";

const memoryPath = (project: string, memory: string) => ({
  path: { project_id: project, memory_id: memory },
});

/** The memory table. It is not refetched until the user asks for new entries. */
export const memoryRowsQuery = (project: string, q: string, sort: MemorySort) =>
  infiniteQueryOptions({
    queryKey: [project, "memory-rows", q, sort],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/memories", {
          params: {
            path: { project_id: project },
            query: {
              sort,
              limit: 100,
              include_same_lesson: true,
              ...(q === "" ? {} : { q }),
              ...(pageParam === undefined ? {} : { cursor: pageParam }),
            },
          },
          signal,
        }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const memoryQuery = (project: string, memory: string) =>
  queryOptions({
    queryKey: [project, "memories", memory],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/memories/{memory_id}", {
          params: memoryPath(project, memory),
          signal,
        }),
      ),
  });

export const historyQuery = (project: string, memory: string) =>
  queryOptions({
    queryKey: [project, "memories", memory, "history"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/memories/{memory_id}/history", {
          params: memoryPath(project, memory),
          signal,
        }),
      ),
  });

export const neighboursQuery = (project: string, memory: string) =>
  queryOptions({
    queryKey: [project, "memories", memory, "neighbours"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/memories/{memory_id}/neighbours", {
          params: { ...memoryPath(project, memory), query: { limit: 8 } },
          signal,
        }),
      ),
  });

export const usesQuery = (project: string, memory: string) =>
  infiniteQueryOptions({
    queryKey: [project, "memories", memory, "uses"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/memories/{memory_id}/uses", {
          params: {
            ...memoryPath(project, memory),
            query: { limit: 20, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      );
      return { uses: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

/** The project's API keys, for members with the scope to list them. */
export const apiKeysQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "api-keys"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/api-keys", { params: { path: { project_id: project } }, signal }),
      ),
  });

export const applyMemoryAction = (project: string, memory: string, verb: MemoryAction) =>
  body(
    api.POST(`/v1/projects/{project_id}/memories/{memory_id}/${verb}`, {
      params: memoryPath(project, memory),
    }),
  );

export const deleteMemory = (project: string, memory: string) =>
  body(api.DELETE("/v1/projects/{project_id}/memories/{memory_id}", { params: memoryPath(project, memory) }));

export const eraseMemory = (project: string, memory: string, typed: string) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/{memory_id}/erase", {
      params: memoryPath(project, memory),
      body: { memory_id: typed },
    }),
  );

export const editMemory = (project: string, memory: string, edit: EditMemory) =>
  body(
    api.PATCH("/v1/projects/{project_id}/memories/{memory_id}", {
      params: memoryPath(project, memory),
      body: edit,
    }),
  );

export const mergeMemories = (project: string, merge: Schemas["MergeMemories"]) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/merge", {
      params: { path: { project_id: project } },
      body: merge,
    }),
  );

export const applyBulkAction = (
  project: string,
  change: BulkSelection & { action: BulkAction; dry_run?: boolean },
) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/bulk", {
      params: { path: { project_id: project } },
      body: change,
    }),
  );

export const undoAction = (project: string, action: string) =>
  body(
    api.POST("/v1/projects/{project_id}/actions/{action_id}/undo", {
      params: { path: { project_id: project, action_id: action } },
    }),
  );
