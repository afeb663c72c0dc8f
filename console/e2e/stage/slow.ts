// A browser that is slower than the machine. What is pressed at the right moment by luck alone fails then, and the machine
// stays free: `REFLECT_SLOW_BROWSER=8 just e2e` gives pages an eighth of the processor. Budgets of time fail, of course.
import type { BrowserContext } from "@playwright/test";

const rate = Number(process.env.REFLECT_SLOW_BROWSER ?? "1");

export function slowDown(context: BrowserContext): void {
  if (rate === 1) return;
  context.on("page", (page) => {
    const slow = async () => {
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate });
    };
    // A page that is gone by then needs no slowing down.
    void slow().catch(() => undefined);
  });
}
