// One retrieval query.
import { queryOptions } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { RetrievalResult } from "./retrieval";
import { requestOf, type Settings } from "./settings";

const MOST = 100;

/**
 * Sends the query as an agent would, reads the receipt, and queries again for the texts and scores of the
 * excluded candidates.
 */
export const retrievalQuery = (project: string, settings: Settings) =>
  queryOptions({
    queryKey: [project, "retrieve", settings],
    queryFn: async ({ signal }): Promise<RetrievalResult> => {
      const path = { project_id: project };
      const question = requestOf(settings);
      const augmented = await body(
        api.POST("/v1/projects/{project_id}/memory/augment", { params: { path }, body: question, signal }),
      );
      const receipt = await body(
        api.GET("/v1/projects/{project_id}/retrievals/{retrieval_id}", {
          params: { path: { ...path, retrieval_id: augmented.retrieval_id } },
          signal,
        }),
      );
      const { max_tokens: _, ...query } = question;
      const wide = {
        ...query,
        limit: Math.min(MOST, receipt.considered.length),
        similarity_threshold: -1,
        mmr_lambda: 1,
      };
      const all =
        receipt.considered.length > augmented.memories.length
          ? await body(
              api.POST("/v1/projects/{project_id}/memory/query", { params: { path }, body: wide, signal }),
            )
          : [];
      const known = new Map([...all, ...augmented.memories].map((memory) => [memory.id, memory]));
      return { augmented, receipt, known };
    },
    // A query runs only when the user submits it.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
