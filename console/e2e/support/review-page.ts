// A page object for the review page, with paint measurements.
import { expect, type Locator, type Page } from "@playwright/test";
import type { Project } from "./project";

export class ReviewPage {
  readonly page: Page;
  readonly run: Locator;
  /** What the agent did, one row per step. */
  readonly steps: Locator;
  readonly panel: Locator;

  constructor(page: Page) {
    this.page = page;
    this.run = page.getByRole("region", { name: "Run" });
    this.steps = this.run.getByRole("region", { name: /^Steps/ }).locator("ol > li");
    this.panel = page.getByRole("complementary", { name: "Your verdict" });
  }

  /** Opens the queue of a project and waits until its first run was visible long enough. */
  static async open(page: Page, project: Project, search = ""): Promise<ReviewPage> {
    await watchPaints(page);
    await page.goto(project.page(`/review${search}`));
    const reviewPage = new ReviewPage(page);
    await reviewPage.ready();
    return reviewPage;
  }

  /** Waits until the visible run has passed the guard time. After that a verdict counts. */
  async ready(): Promise<void> {
    await this.run.waitFor();
    await this.page.waitForFunction(
      () => performance.now() - (window.reflectPaints?.shown ?? Infinity) >= 300,
    );
  }

  async task(): Promise<string> {
    return (await this.run.getByRole("region", { name: "Task" }).locator("pre").innerText()).trim();
  }

  async shows(task: string): Promise<void> {
    await expect(this.run.getByRole("region", { name: "Task" }).locator("pre")).toHaveText(task);
  }

  /** The number of verdicts of this tab. */
  async done(): Promise<number> {
    const said = await this.page.getByText(/^\d+ done, /).innerText();
    return Number.parseInt(said, 10);
  }

  async hasDone(count: number): Promise<void> {
    await expect(this.page.getByText(new RegExp(`^${count} done, `))).toBeVisible();
  }

  /** Waits until every verdict has reached the server. */
  async sent(): Promise<void> {
    await expect(this.page.getByText(/not sent yet/)).toBeHidden();
  }

  button(name: string): Locator {
    return this.panel.getByRole("button", { name, exact: true });
  }
}

/** Expects a notification with this text. */
export async function expectNotification(page: Page, words: string): Promise<void> {
  await expect(page.getByRole("region", { name: "Notifications" }).getByText(words)).toBeVisible();
}

/** What the page records while runs are reviewed. */
type Paints = {
  /** When the visible run was painted. */
  shown: number;
  /** The time from the key press to the paint of the next run, in ms. */
  swaps: number[];
  /** How long each run was visible before the next key press, in ms. */
  looks: number[];
  /** Times at which no run, or only a placeholder, was visible. */
  gaps: string[];
};

declare global {
  interface Window {
    reflectPaints?: Paints;
  }
}

/** Records paints inside the page. Measured from outside, the round trips would dominate. */
export async function watchPaints(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const paints: Paints = { shown: Infinity, swaps: [], looks: [], gaps: [] };
    window.reflectPaints = paints;
    let pressed = 0;
    let task: string | null = null;
    window.addEventListener("keydown", () => (pressed = performance.now()), { capture: true });
    const look = () => {
      const place = document.querySelector("#digest-task");
      if (place === null) {
        if (task !== null) paints.gaps.push("no run");
        return;
      }
      if (document.querySelector("[aria-busy=true], [class*=skeleton i], [class*=spinner i]") !== null) {
        paints.gaps.push("placeholder");
      }
      const now = place.parentElement?.querySelector("pre")?.textContent ?? "";
      if (now === task) return;
      const first = task === null;
      const before = paints.shown;
      const from = pressed;
      task = now;
      paints.shown = Infinity;
      // A task queued in an animation frame callback runs right after that frame is painted.
      requestAnimationFrame(() =>
        setTimeout(() => {
          paints.shown = performance.now();
          if (first) return;
          paints.swaps.push(paints.shown - from);
          paints.looks.push(from - before);
        }),
      );
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  });
}
