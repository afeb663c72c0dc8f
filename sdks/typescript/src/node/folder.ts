/** The folder of the spool: `<root>/js-<hash of server and project>/<files>`. */

import { createHash } from "node:crypto";
import fs from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { SUFFIX } from "./segment.js";

/** `REFLECT_SPOOL_DIR`, or the platform's folder for the state of applications. */
export function defaultRoot(): string {
  const { env, platform } = process;
  if (env["REFLECT_SPOOL_DIR"]) return env["REFLECT_SPOOL_DIR"];
  const home = homedir();
  const state =
    platform === "darwin"
      ? join(home, "Library", "Application Support")
      : platform === "win32"
        ? (env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"))
        : (env["XDG_STATE_HOME"] ?? join(home, ".local", "state"));
  return join(state, "reflect", "spool");
}

/** The subfolder of a destination. It does not depend on the key, because keys change. */
export function folderName(destination: string): string {
  return `js-${createHash("sha256").update(destination).digest("hex").slice(0, 32)}`;
}

/** Creates a folder that only this user can read. Files in it are sent with the user's key, so others must not write. */
export function makeFolder(path: string): void {
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(path);
  const uid = process.getuid?.();
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
    throw new Error(`${path} does not belong to this user`);
  }
  if (uid !== undefined && (found.mode & 0o077) !== 0) fs.chmodSync(path, 0o700);
}

/** The spool files of one folder, oldest first. */
export function filesIn(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => name.endsWith(SUFFIX))
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The spool files of all destinations. */
export function allFiles(root: string): string[] {
  try {
    return fs
      .readdirSync(root)
      .filter((name) => name.startsWith("js-"))
      .flatMap((name) => filesIn(join(root, name)));
  } catch {
    return [];
  }
}

/** The total size of all spool files. */
export function totalSize(root: string): number {
  return allFiles(root).reduce((sum, path) => sum + (statOf(path)?.size ?? 0), 0);
}

/** The facts about a file; undefined if it is gone or cannot be read. */
export function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
