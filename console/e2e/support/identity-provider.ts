// Starts the identity provider, and a server whose members sign in with it.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Server } from "./server";

const PROGRAM = fileURLToPath(new URL("oidc-process.mjs", import.meta.url));
/** Nothing listens on this port. */
const CLOSED = "http://127.0.0.1:9";

export type Account = { name: string; email: string; groups: string[]; verified?: boolean };

export class IdentityProvider {
  readonly issuer: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, issuer: string) {
    this.#process = process;
    this.issuer = issuer;
  }

  static async start(): Promise<IdentityProvider> {
    const child = fork(PROGRAM, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const [{ issuer }] = (await once(child, "message")) as [{ issuer: string }];
    return new IdentityProvider(child, issuer);
  }

  /** Creates or changes an account. */
  account(login: string, account: Account): Promise<void> {
    const { verified = true, ...claims } = account;
    return this.#tell({ kind: "account", login, claims: { ...claims, email_verified: verified } });
  }

  rotateKeys = () => this.#tell({ kind: "rotate" });

  /** A server that knows this provider as `corp`, and a provider `broken` that does not respond. */
  async server(): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "reflect-oidc-"));
    const file = join(folder, "oidc.toml");
    writeFileSync(file, this.#settings(), { mode: 0o600 });
    try {
      const server = await Server.start((url) => ["--public-url", url, "--oidc-file", file]);
      await this.#tell({ kind: "configure", url: server.url });
      return server;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  stop(): void {
    this.#process.kill();
  }

  #settings(): string {
    return `
[[provider]]
name = "corp"
label = "Example SSO"
issuer = "${this.issuer}"
client_id = "reflect"
client_secret = "a secret for tests only"
scopes = ["email", "profile", "groups"]
allowed_domains = ["example.com"]

[provider.groups]
reflect-admins = "admin"
support = "reviewer@support"

[[provider]]
name = "broken"
label = "Broken SSO"
issuer = "${CLOSED}"
client_id = "reflect"
groups = { any = "viewer" }
`;
  }

  async #tell(message: { kind: string; [more: string]: unknown }): Promise<void> {
    const heard = once(this.#process, "message");
    this.#process.send(message);
    await heard;
  }
}
