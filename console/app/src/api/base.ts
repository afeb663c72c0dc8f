// The server's base path as seen from this page. A reverse proxy may serve Reflect below a path prefix.

const PLACEHOLDER = /^__REFLECT_/;

/** The prefix of every path: empty, or for example `/reflect`. */
export const base = readBase();

function readBase(): string {
  const content = document.querySelector<HTMLMetaElement>('meta[name="reflect-base"]')?.content ?? "";
  // In development the placeholder is not replaced.
  return PLACEHOLDER.test(content) ? "" : content.replace(/\/$/, "");
}
