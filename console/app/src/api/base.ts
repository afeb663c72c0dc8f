// Where the server is, seen from this page: a proxy may show it below a path.

const PLACEHOLDER = /^__REFLECT_/;

/** The path before every other path: empty, or such as `/reflect`. */
export const base = readBase();

function readBase(): string {
  const said = document.querySelector<HTMLMetaElement>('meta[name="reflect-base"]')?.content ?? "";
  // In development nobody fills it in.
  return PLACEHOLDER.test(said) ? "" : said.replace(/\/$/, "");
}
