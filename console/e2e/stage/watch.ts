// What must not happen on any page, whatever is shown there: a question box, a call to another host, a breach of the
// policy that the server sends along, an error nobody caught, a dead tab.
import type { BrowserContext, ConsoleMessage, Page } from "@playwright/test";

export class Watch {
  readonly seen: string[] = [];
  readonly #origins: string[];
  readonly #allowed: RegExp[] = [];

  constructor(origin: string) {
    this.#origins = [origin];
  }

  /** A message of the browser that belongs to what is tested, such as a refused call. */
  allow(message: RegExp): void {
    this.#allowed.push(message);
  }

  /** Another server that the test itself started. */
  alsoHere(origin: string): void {
    this.#origins.push(origin);
  }

  async over(context: BrowserContext): Promise<void> {
    await context.exposeBinding("tellBreach", (_, what: string) => this.note(`policy: ${what}`));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const tell = (window as unknown as { tellBreach: (what: string) => void }).tellBreach;
        tell(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    context.on("request", (request) => {
      const url = request.url();
      const here = [...this.#origins, "data:", "blob:"].some((start) => url.startsWith(start));
      if (!here) this.note(`request: ${url.slice(0, 200)}`);
    });
    context.on("console", (message) => this.#heard(message));
    context.on("page", (page) => this.#watch(page));
    for (const page of context.pages()) this.#watch(page);
  }

  note(what: string): void {
    if (!this.#allowed.some((one) => one.test(what))) this.seen.push(what);
  }

  #heard(message: ConsoleMessage): void {
    if (message.type() === "error" || message.type() === "warning") this.note(`console: ${message.text()}`);
  }

  #watch(page: Page): void {
    page.on("pageerror", (error) => this.note(`error: ${error.message}`));
    page.on("crash", () => this.note("crash"));
    page.on("dialog", (dialog) => {
      this.note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
}
