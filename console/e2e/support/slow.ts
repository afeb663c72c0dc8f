// Simulates a slow browser or network, to find tests and pages that depend on timing: `REFLECT_SLOW_BROWSER=8
// just e2e` gives pages an eighth of the CPU, `REFLECT_SLOW_LINE=400 just e2e` delays every response by this
// many milliseconds. Time budgets fail in this mode.
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
    // The page may be closed already.
    void slow().catch(() => undefined);
  });
}
