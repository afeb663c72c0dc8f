// Leases on runs of the review queue.
import { api, body } from "../../api/client";

export const LEASE_SECONDS = 120;

/** Renews or releases leases. Resolves to null if the call failed: a lease that was not changed expires. */
export async function changeLeases(
  project: string,
  change: { trace_ids: string[]; lease_seconds?: number; release?: boolean },
) {
  try {
    return await body(
      api.POST("/v1/projects/{project_id}/review-queue/leases", {
        params: { path: { project_id: project } },
        body: change,
        // The request must complete even if the page is closed.
        keepalive: true,
      }),
    );
  } catch {
    return null;
  }
}
