// Server reads of the webhooks page, with their query keys.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, bodyAndHeaders } from "./client";

/** While a delivery waits, the log is read again after this time. */
const POLL_MS = 3_000;

export const webhooksQuery = (project: string) =>
  queryOptions({
    queryKey: [project, "webhooks"],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/webhooks", { params: { path: { project_id: project } }, signal }),
      ),
  });

export const deliveriesQuery = (project: string, webhook: string) =>
  infiniteQueryOptions({
    queryKey: [project, "webhooks", webhook, "deliveries"],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: 25, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      const path = { project_id: project, webhook_id: webhook };
      const response = await bodyAndHeaders(
        api.GET("/v1/projects/{project_id}/webhooks/{webhook_id}/deliveries", {
          params: { path, query },
          signal,
        }),
      );
      return { rows: response.data, next: response.headers.get("X-Next-Cursor") ?? undefined };
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: (query) => {
      const rows = query.state.data?.pages.flatMap((page) => page.rows) ?? [];
      return rows.some((row) => row.state === "waiting") ? POLL_MS : false;
    },
  });
