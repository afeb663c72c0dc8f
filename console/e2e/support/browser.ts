// Finds the browser. Playwright would download its own; these tests use the system package.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

// The first one has no window and needs a third less processor time.
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

export function chromium(): string {
  const given = process.env.REFLECT_CHROMIUM;
  if (given !== undefined) return given;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
  if (found === undefined) {
    throw new Error(
      "Chromium is not on the PATH: install the package `chromium-headless-shell`, or set REFLECT_CHROMIUM",
    );
  }
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
