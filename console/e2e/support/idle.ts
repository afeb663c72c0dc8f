// Waits for an idle page. A check or measurement then covers exactly what is visible.
import type { Page } from "@playwright/test";

/** Waits until all requests of the page are answered and rendered. The event stream never ends. */
export async function waitUntilIdle(page: Page): Promise<void> {
  // After the stream connects, everything is refetched once.
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
