// A temporary database. Uses psql, because the tests include no Postgres client.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";

export type Database = { url: string; run: (statement: string) => void; drop: () => void };

export function createDatabase(): Database {
  const server = needed("REFLECT_TEST_DATABASE_URL");
  const name = `e2e_${randomBytes(6).toString("hex")}`;
  run(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  // FORCE: a killed server may have left open connections.
  return {
    url: url.href,
    run: (statement) => run(url.href, statement),
    drop: () => run(server, `drop database ${name} with (force)`),
  };
}

export function needed(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set; \`just e2e\` sets it`);
  return value;
}

let psql: string | undefined;

function run(server: string, statement: string): void {
  psql ??= find(join(needed("REFLECT_CACHE"), "postgres"));
  execFileSync(psql, ["-X", "-q", "-w", "-v", "ON_ERROR_STOP=1", "-c", statement, server], {
    env: { ...process.env, PGCONNECT_TIMEOUT: "5" },
  });
}

function find(folder: string): string {
  const inside = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const found = inside.find((path) => path.endsWith("/bin/psql"));
  if (found === undefined) throw new Error(`psql is missing below ${folder}; \`just setup\` installs it`);
  return join(folder, found);
}
