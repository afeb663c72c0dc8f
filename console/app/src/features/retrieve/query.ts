// One retrieval query.
import { queryOptions } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { RetrievalResult } from "./retrieval";
import { requestOf, type Settings } from "./settings";

/**
 * Sends the query as an agent would and reads its receipt. This is the only retrieval: every one is recorded, and the
 * health of the loop is computed from them.
 */
export const retrievalQuery = (project: string, settings: Settings) =>
  queryOptions({
    queryKey: [project, "retrieve", settings],
    queryFn: async ({ signal }): Promise<RetrievalResult> => {
      const path = { project_id: project };
      const augmented = await body(
        api.POST("/v1/projects/{project_id}/memory/augment", {
          params: { path },
          body: requestOf(settings),
          signal,
        }),
      );
      const receipt = await body(
        api.GET("/v1/projects/{project_id}/retrievals/{retrieval_id}", {
          params: { path: { ...path, retrieval_id: augmented.retrieval_id } },
          signal,
        }),
      );
      return { augmented, receipt };
    },
    // A query runs only when the user submits it.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
