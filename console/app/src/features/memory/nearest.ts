// Which memory one would be merged with.
import type { QueryClient } from "@tanstack/react-query";
import { neighboursQuery } from "../../api/memories";

/** The nearest that is served. Waits for the server: that there is none must not be said before it is known. */
export async function nearest(
  client: QueryClient,
  project: string,
  memory: string,
): Promise<string | undefined> {
  const near = await client.fetchQuery(neighboursQuery(project, memory));
  return near.find((one) => one.status === "active")?.id;
}
