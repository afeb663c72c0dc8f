// The address of a sign-in link.
import { base } from "../../api/base";
import type { Schemas } from "../../api/types";

/** As the server knows its address; where it does not, as this browser does. */
export function addressOf(link: Schemas["SignInLink"]): string {
  return link.url ?? `${location.origin}${base}${link.path}`;
}
