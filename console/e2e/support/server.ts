// Starts the real binary with its own database.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { type Database, createDatabase, needed } from "./database";

/** Each worker has its own ports: two that look for a free port at the same time would find the same one. */
const PORTS = 10;
const FIRST_PORT = 8330 + PORTS * Number(process.env.TEST_PARALLEL_INDEX ?? 0);
const LAST_PORT = FIRST_PORT + PORTS - 1;
const READY_MS = 90_000;

export class Server {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #database: Database;
  readonly #closed: Promise<unknown>;
  #log = "";

  private constructor(process: ChildProcess, database: Database, url: string) {
    this.#process = process;
    this.#database = database;
    this.url = url;
    this.#closed = once(process, "close");
    const note = (data: Buffer) => (this.#log += data.toString());
    process.stdout?.on("data", note);
    process.stderr?.on("data", note);
  }

  /** `more` returns further arguments for a server at this URL. */
  static async start(more: (url: string) => string[] = () => []): Promise<Server> {
    const database = createDatabase();
    for (let port = FIRST_PORT; port <= LAST_PORT; port += 1) {
      if (!(await isFree(port))) continue;
      const address = `127.0.0.1:${port}`;
      const words = ["serve", "--migrate", "--listen", address, ...more(`http://${address}`)];
      const child = spawn(needed("REFLECT_BINARY"), words, {
        env: { ...process.env, REFLECT_DATABASE_URL: database.url },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const server = new Server(child, database, `http://${address}`);
      if (await server.#listens()) return server;
      // Another process took the port after the check: try the next one.
      if (server.#log.includes(`cannot listen on ${address}`)) continue;
      await server.stop();
      throw new Error(`the server did not become ready:\n${server.#log}`);
    }
    database.drop();
    throw new Error(`no port from ${FIRST_PORT} to ${LAST_PORT} is free`);
  }

  /** The setup link that a new installation writes to its log. */
  async setupLink(): Promise<string> {
    const end = Date.now() + READY_MS;
    while (Date.now() < end) {
      // Match one character after the link: a link split across two log chunks would look complete.
      const found = /(https?:\/\/\S+?\/setup\?t=[\w-]+)[^\w-]/.exec(this.#log);
      if (found?.[1] !== undefined) return found[1];
      await again();
    }
    throw new Error(`the log has no setup link:\n${this.#log}`);
  }

  /** Runs a command of the CLI and returns its output. */
  command(...words: string[]): string {
    const env = { ...process.env, REFLECT_DATABASE_URL: this.#database.url };
    return execFileSync(needed("REFLECT_BINARY"), words, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  /** The same for a command that sends many requests: meanwhile, the log of the server must be read. */
  async longCommand(...words: string[]): Promise<void> {
    const env = { ...process.env, REFLECT_DATABASE_URL: this.#database.url };
    await promisify(execFile)(needed("REFLECT_BINARY"), words, { env });
  }

  /** Changes the database, for states that need time to occur. */
  sql(statement: string): void {
    this.#database.run(statement);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const gone = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      // Event streams of open tabs would delay the shutdown until its timeout.
      const patience = setTimeout(() => this.#process.kill("SIGKILL"), 3_000);
      await gone;
      clearTimeout(patience);
    }
    this.#database.drop();
  }

  /** Waits until the server accepts requests. Its log says so: a request could reach a server of another test run. */
  async #listens(): Promise<boolean> {
    const end = Date.now() + READY_MS;
    while (Date.now() < end && this.#process.exitCode === null) {
      if (this.#log.includes(`listening on ${this.url}`)) return true;
      await again();
    }
    // The process ends before the last line of its log arrives.
    if (this.#process.exitCode !== null) await this.#closed;
    return false;
  }
}

/** Polls, because the process sends no event. */
const again = () => new Promise((asked) => setTimeout(asked, 50));

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}
