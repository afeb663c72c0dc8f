// The review page as a reviewer uses it, and what it says of itself.
import { expect, type Locator, type Page } from "@playwright/test";
import type { Project } from "./project";

export class Desk {
  readonly page: Page;
  readonly run: Locator;
  readonly panel: Locator;

  constructor(page: Page) {
    this.page = page;
    this.run = page.getByRole("region", { name: "Run" });
    this.panel = page.getByRole("complementary", { name: "Your verdict" });
  }

  /** Opens the queue of a project and waits until its first run has been on screen long enough. */
  static async open(page: Page, project: Project, search = ""): Promise<Desk> {
    await watchPaints(page);
    await page.goto(project.page(`/review${search}`));
    const desk = new Desk(page);
    await desk.ready();
    return desk;
  }

  /** The run that is shown has been there for longer than the guard, so a verdict counts. */
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

  /** How many verdicts this tab has given. */
  async done(): Promise<number> {
    const said = await this.page.getByText(/^\d+ done, /).innerText();
    return Number.parseInt(said, 10);
  }

  async hasDone(count: number): Promise<void> {
    await expect(this.page.getByText(new RegExp(`^${count} done, `))).toBeVisible();
  }

  /** Every verdict has reached the server. */
  async sent(): Promise<void> {
    await expect(this.page.getByText(/not sent yet/)).toBeHidden();
  }

  button(name: string): Locator {
    return this.panel.getByRole("button", { name, exact: true });
  }
}

/** A message at the edge of the page says so. */
export async function told(page: Page, words: string): Promise<void> {
  await expect(page.getByRole("region", { name: "Messages" }).getByText(words)).toBeVisible();
}

/** What the page notes about itself while somebody reviews. */
type Paints = {
  /** When the run on screen was painted. */
  shown: number;
  /** How long each next run took to be painted, from the key that called for it, in ms. */
  swaps: number[];
  /** How long each run had been on screen when the next took its place, in ms. */
  looks: number[];
  /** Moments at which there was no run, or something stood in for one. */
  gaps: string[];
};

declare global {
  interface Window {
    reflectPaints?: Paints;
  }
}

/** Notes when runs are painted, from inside of the page, because from outside only the round trips would be measured. */
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
        paints.gaps.push("something stood in");
      }
      const now = place.parentElement?.querySelector("pre")?.textContent ?? "";
      if (now === task) return;
      const first = task === null;
      const before = paints.shown;
      const from = pressed;
      task = now;
      paints.shown = Infinity;
      // What is put in line just before a frame runs right after that frame was painted.
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
