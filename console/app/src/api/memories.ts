// Reads and changes of memories. Every change is an action of the server's, by whose id it is undone.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders } from "./client";
import type { components, operations } from "./schema";

type Schemas = components["schemas"];
export type StoredMemory = Schemas["StoredMemory"];
export type MemoryDetail = Schemas["MemoryDetail"];
export type MemoryVersion = Schemas["MemoryVersion"];
export type HistoryStep = Schemas["HistoryStep"];
export type MemoryStatus = Schemas["MemoryStatus"];
export type MemorySort = Schemas["MemorySort"];
export type MemorySelection = Schemas["MemorySelection"];
export type EditMemory = Schemas["EditMemory"];
export type BulkVerb = Schemas["CareVerb"];
export type MemoriesQuery = Omit<
  NonNullable<operations["list_memories"]["parameters"]["query"]>,
  "limit" | "cursor"
>;

/** What can be done to one memory without saying more. */
export type CareVerb = "disable" | "enable" | "pin" | "unpin" | "quarantine" | "release";

const of = (project: string, memory: string) => ({ path: { project_id: project, memory_id: memory } });

/** The table of memories. It stays as it is until somebody asks for what is new. */
export const memoryRowsQuery = (project: string, query: MemoriesQuery) =>
  infiniteQueryOptions({
    queryKey: [project, "memory-rows", query],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const answer = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/memories", {
          params: {
            path: { project_id: project },
            query: { ...query, limit: 100, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      );
      return { rows: answer.data, next: answer.headers.get("X-Next-Cursor") ?? undefined };
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
        api.GET("/v1/projects/{project_id}/memories/{memory_id}", { params: of(project, memory), signal }),
      ),
  });

export const historyQuery = (project: string, memory: string) =>
  queryOptions({
    queryKey: [project, "memories", memory, "history"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/memories/{memory_id}/history", {
          params: of(project, memory),
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
          params: { ...of(project, memory), query: { limit: 8 } },
          signal,
        }),
      ),
  });

export const usesQuery = (project: string, memory: string) =>
  infiniteQueryOptions({
    queryKey: [project, "memories", memory, "uses"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const answer = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/memories/{memory_id}/uses", {
          params: {
            ...of(project, memory),
            query: { limit: 20, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
          },
          signal,
        }),
      );
      return { uses: answer.data, next: answer.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
  });

/** The keys of a project, for those who may see them. */
export const apiKeysQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "api-keys"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/api-keys", { params: { path: { project_id: project } }, signal }),
      ),
  });

export const careFor = (project: string, memory: string, verb: CareVerb) =>
  body(api.POST(`/v1/projects/{project_id}/memories/{memory_id}/${verb}`, { params: of(project, memory) }));

export const deleteMemory = (project: string, memory: string) =>
  body(api.DELETE("/v1/projects/{project_id}/memories/{memory_id}", { params: of(project, memory) }));

export const eraseMemory = (project: string, memory: string, typed: string) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/{memory_id}/erase", {
      params: of(project, memory),
      body: { memory_id: typed },
    }),
  );

export const editMemory = (project: string, memory: string, edit: EditMemory) =>
  body(
    api.PATCH("/v1/projects/{project_id}/memories/{memory_id}", { params: of(project, memory), body: edit }),
  );

export const mergeMemories = (project: string, merge: Schemas["MergeMemories"]) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/merge", {
      params: { path: { project_id: project } },
      body: merge,
    }),
  );

export const careInBulk = (
  project: string,
  care: { filter: MemorySelection; action: BulkVerb; dry_run?: boolean },
) =>
  body(
    api.POST("/v1/projects/{project_id}/memories/bulk", {
      params: { path: { project_id: project } },
      body: care,
    }),
  );

export const undoAction = (project: string, action: string) =>
  body(
    api.POST("/v1/projects/{project_id}/actions/{action_id}/undo", {
      params: { path: { project_id: project, action_id: action } },
    }),
  );
