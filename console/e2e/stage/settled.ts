// A page that has nothing left to do by itself, so that what is looked at or measured is all of it and nothing else.
import type { Page } from "@playwright/test";

/** Waits until everything that the page asked for is answered and drawn; its stream of events never ends. */
export async function settled(page: Page): Promise<void> {
  // When the stream begins, everything is read once more.
  await page.getByText("Updates every 10 s").waitFor({ state: "hidden" });
  await page.waitForFunction(() => {
    const { __TSR_ROUTER__ } = window as unknown as {
      __TSR_ROUTER__: { options: { context: { client: { isFetching: () => number } } } };
    };
    return __TSR_ROUTER__.options.context.client.isFetching() === 0;
  });
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
}
