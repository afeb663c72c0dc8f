// Which links and pictures of a run may work.

const SAFE = new Set(["http:", "https:", "mailto:"]);
const PICTURE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=\s]*$/;
const MOST_PICTURE = 1024 * 1024;

export type SafeLink = {
  href: string;
  /** Where it leads, if its text does not say so. */ host: string | null;
};

/** A link that may be followed; null for everything else. */
export function safeLink(address: string | undefined, text: string): SafeLink | null {
  if (address === undefined) return null;
  let url: URL;
  try {
    // Only whole addresses: a relative one would lead somewhere into the console.
    url = new URL(address);
  } catch {
    return null;
  }
  if (!SAFE.has(url.protocol)) return null;
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  const said = text.trim();
  const same =
    said === address || said === host || said.replace(/^https?:\/\//, "").split(/[/?#]/)[0] === host;
  return { href: url.href, host: same ? null : host };
}

/** Whether a picture is inside the text itself, small, and of a kind that cannot run anything. */
export function safePicture(address: string | undefined): address is string {
  return address !== undefined && address.length <= MOST_PICTURE * 1.4 && PICTURE.test(address);
}
