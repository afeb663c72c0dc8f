// Decides which links and images of a run are safe.

const SAFE = new Set(["http:", "https:", "mailto:"]);
const PICTURE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=\s]*$/;
const MAX_IMAGE = 1024 * 1024;

export type SafeLink = {
  href: string;
  /** The target host, if the text does not show it. */ host: string | null;
};

/** A link that is safe to follow; null otherwise. */
export function safeLink(address: string | undefined, text: string): SafeLink | null {
  if (address === undefined) return null;
  let url: URL;
  try {
    // Absolute URLs only: a relative one would lead into the console.
    url = new URL(address);
  } catch {
    return null;
  }
  if (!SAFE.has(url.protocol)) return null;
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  const label = text.trim();
  const same =
    label === address || label === host || label.replace(/^https?:\/\//, "").split(/[/?#]/)[0] === host;
  return { href: url.href, host: same ? null : host };
}

/** Whether an image is embedded in the text, small, and of a type that cannot execute anything. */
export function safePicture(address: string | undefined): address is string {
  return address !== undefined && address.length <= MAX_IMAGE * 1.4 && PICTURE.test(address);
}
