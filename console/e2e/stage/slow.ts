// A browser that is slower than the machine, or farther from its server. What is pressed at the right moment by luck alone
// fails then, and the machine stays free: `REFLECT_SLOW_BROWSER=8 just e2e` gives pages an eighth of the processor,
// `REFLECT_SLOW_LINE=400 just e2e` lets them wait so many milliseconds for every answer. Budgets of time fail, of course.
import type { BrowserContext } from "@playwright/test";

const rate = Number(process.env.REFLECT_SLOW_BROWSER ?? "1");
const latency = Number(process.env.REFLECT_SLOW_LINE ?? "0");

export function slowDown(context: BrowserContext): void {
  if (rate === 1 && latency === 0) return;
  context.on("page", (page) => {
    const slow = async () => {
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate });
      if (latency === 0) return;
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", {
        offline: false,
        latency,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
    };
    // A page that is gone by then needs no slowing down.
    void slow().catch(() => undefined);
  });
}
