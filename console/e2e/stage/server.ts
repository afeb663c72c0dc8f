// The real binary on a database of its own.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { type Database, freshDatabase, needed } from "./database";

const FIRST_PORT = 8330;
const LAST_PORT = 8349;
const READY_MS = 90_000;

export class Server {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #database: Database;
  #log = "";

  private constructor(process: ChildProcess, database: Database, url: string) {
    this.#process = process;
    this.#database = database;
    this.url = url;
    const note = (data: Buffer) => (this.#log += data.toString());
    process.stdout?.on("data", note);
    process.stderr?.on("data", note);
  }

  static async start(): Promise<Server> {
    const database = freshDatabase();
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(needed("REFLECT_BINARY"), ["serve", "--migrate", "--listen", address], {
      env: { ...process.env, REFLECT_DATABASE_URL: database.url },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const server = new Server(child, database, `http://${address}`);
    try {
      await server.#ready();
    } catch (thrown) {
      await server.stop();
      throw thrown;
    }
    return server;
  }

  /** The link that the log of a new installation offers to whoever reads it first. */
  async setupLink(): Promise<string> {
    const end = Date.now() + READY_MS;
    while (Date.now() < end) {
      // Up to the quote that ends the message: a link that is cut in two would look like one.
      const found = /(https?:\/\/\S+?\/setup\?t=[\w-]+)"/.exec(this.#log);
      if (found?.[1] !== undefined) return found[1];
      await again();
    }
    throw new Error(`the log has no setup link:\n${this.#log}`);
  }

  /** What the operator's command line prints. */
  command(...words: string[]): string {
    const env = { ...process.env, REFLECT_DATABASE_URL: this.#database.url };
    return execFileSync(needed("REFLECT_BINARY"), words, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const gone = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      // Streams of open tabs would keep it for as long as it lets requests finish.
      const patience = setTimeout(() => this.#process.kill("SIGKILL"), 3_000);
      await gone;
      clearTimeout(patience);
    }
    this.#database.drop();
  }

  async #ready(): Promise<void> {
    const end = Date.now() + READY_MS;
    while (Date.now() < end) {
      if (this.#process.exitCode !== null) break;
      const answer = await fetch(`${this.url}/ready`).catch(() => null);
      if (answer?.ok === true) return;
      await again();
    }
    throw new Error(`the server did not become ready:\n${this.#log}`);
  }
}

/** Processes are asked again rather than waited for: they send no events. */
const again = () => new Promise((asked) => setTimeout(asked, 50));

async function freePort(): Promise<number> {
  for (let port = FIRST_PORT; port <= LAST_PORT; port += 1) if (await isFree(port)) return port;
  throw new Error(`no port from ${FIRST_PORT} to ${LAST_PORT} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}
