// Fails a test if a page shows a dialog, calls another host, violates the content security policy, has an
// uncaught error, or crashes.
import type { BrowserContext, ConsoleMessage, Page } from "@playwright/test";

export class PageGuard {
  readonly violations: string[] = [];
  readonly #origins: string[];
  readonly #allowed: RegExp[] = [];

  constructor(origin: string) {
    this.#origins = [origin];
  }

  /** Allows a browser message that the test expects, for example a rejected call. */
  allow(message: RegExp): void {
    this.#allowed.push(message);
  }

  /** Allows another server started by the test. */
  allowOrigin(origin: string): void {
    this.#origins.push(origin);
  }

  async attach(context: BrowserContext): Promise<void> {
    await context.exposeBinding("reportViolation", (_, what: string) => this.note(`policy: ${what}`));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const report = (window as unknown as { reportViolation: (what: string) => void }).reportViolation;
        report(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    context.on("request", (request) => {
      const url = request.url();
      const here = [...this.#origins, "data:", "blob:"].some((start) => url.startsWith(start));
      if (!here) this.note(`request: ${url.slice(0, 200)}`);
    });
    context.on("console", (message) => this.#onConsoleMessage(message));
    context.on("page", (page) => this.#watchPage(page));
    for (const page of context.pages()) this.#watchPage(page);
  }

  note(what: string): void {
    if (!this.#allowed.some((one) => one.test(what))) this.violations.push(what);
  }

  #onConsoleMessage(message: ConsoleMessage): void {
    if (message.type() === "error" || message.type() === "warning") this.note(`console: ${message.text()}`);
  }

  #watchPage(page: Page): void {
    page.on("pageerror", (error) => this.note(`error: ${error.message}`));
    page.on("crash", () => this.note("crash"));
    page.on("dialog", (dialog) => {
      this.note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
}
