// Prints the result as the last line. A test that was skipped or not reached does not count as passed.
import type { FullResult, Reporter, Suite } from "@playwright/test/reporter";

// oxlint-disable-next-line import/no-default-export -- Playwright takes a reporter this way
export default class SummaryReporter implements Reporter {
  #suite: Suite | undefined;
  #line = "e2e: no test was run";

  onBegin(_: unknown, suite: Suite): void {
    this.#suite = suite;
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult["status"] }> {
    const tests = this.#suite?.allTests() ?? [];
    const passed = tests.filter((test) => test.outcome() === "expected" && test.results.length > 0);
    const ran = passed.filter((test) => test.results.every((one) => one.status === "passed"));
    const failed = tests.length - ran.length;
    const good = result.status === "passed" && failed === 0 && ran.length > 0;
    this.#line = `e2e: ${ran.length} passed, ${failed} failed`;
    if (!good && failed === 0) this.#line += ` (${result.status})`;
    return { status: good ? "passed" : "failed" };
  }

  // Runs after all other reporters.
  async onExit(): Promise<void> {
    process.stdout.write(`${this.#line}\n`);
  }
}
