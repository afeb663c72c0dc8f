// The URL of a sign-in link.
import { base } from "../../api/base";
import type { Schemas } from "../../api/types";

/** Uses the server's public URL if it is configured, else the origin of this page. */
export function linkUrl(link: Schemas["SignInLink"]): string {
  return link.url ?? `${location.origin}${base}${link.path}`;
}
