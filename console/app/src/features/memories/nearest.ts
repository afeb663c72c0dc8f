// Finds the memory to merge with.
import type { QueryClient } from "@tanstack/react-query";
import { neighboursQuery } from "../../api/memories";

/**
 * The most similar active memory. Waits for the server, because “none” must not be shown before it is known.
 */
export async function nearestActive(
  client: QueryClient,
  project: string,
  memory: string,
): Promise<string | undefined> {
  const near = await client.fetchQuery(neighboursQuery(project, memory));
  return near.find((one) => one.status === "active")?.id;
}
