// Text of runs is only text: nothing is executed or loaded, nothing covers the page, and the tab stays alive.
// The page guard of every test detects dialogs, external calls, policy violations and errors; see
// support/page-guard.
import type { Page } from "@playwright/test";
import { ReviewPage } from "../support/review-page";
import { PAYLOADS } from "../support/payloads";
import type { Message, Project } from "../support/project";
import { expect, test } from "../support/test";

const NAMES = Object.keys(PAYLOADS);

test("there are forty payloads", () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(40);
});

test("as task, model, metadata, tool, feedback: in the list, in a preview, in the queue", async ({
  page,
  project,
}) => {
  for (const text of Object.values(PAYLOADS)) await send(project, text);
  await page.goto(project.page("/traces"));
  await expect(page.getByRole("checkbox").first()).toBeVisible();
  for (let n = 0; n < NAMES.length; n += 1) {
    await page.keyboard.press("j");
    if (n === 0) await page.keyboard.press("p");
  }
  await expect(
    page.getByRole("complementary", { name: "Preview" }).getByRole("heading", { name: "Task" }),
  ).toBeVisible();
  await harmless(page);

  const reviewPage = await ReviewPage.open(page, project, "?order=oldest");
  for (let n = 1; n <= NAMES.length; n += 1) {
    await expect(reviewPage.button("Pass")).toBeVisible();
    await harmless(page);
    await page.keyboard.press("s");
  }
  await expect(page.getByRole("heading", { name: "No runs are pending" })).toBeVisible();
  expect(await reviewPage.done()).toBe(0);
});

test("as messages, calls, results and feedback of one run: in every view of it", async ({
  page,
  project,
}) => {
  const trajectory = Object.values(PAYLOADS).flatMap((text, n) => messages(text, n));
  const trace = await project.send({ task: "Everything at once", trajectory });
  await project.call("POST", `/traces/${trace}/review`, {
    result: "fail",
    feedback_text: Object.values(PAYLOADS).join("\n\n").slice(0, 7_000),
    grace_seconds: 60,
  });
  await page.goto(project.page(`/traces/${trace}`));
  await expect(page.getByRole("article").first()).toBeVisible();
  const total = Number(
    /of ([\d,]+),/.exec(await page.getByText(/^step 1 of /).innerText())?.[1]?.replace(",", ""),
  );
  expect(total).toBeGreaterThanOrEqual(4 * NAMES.length);
  // Moves through all steps, one screen at a time, to render each of them.
  for (let step = 1; step <= total; step += 6) {
    for (let n = 0; n < 6; n += 1) await page.keyboard.press("]");
    // All six key presses must count, at any speed.
    await expect(page.getByText(new RegExp(`^step ${Math.min(step + 6, total)} of `))).toBeVisible();
    await harmless(page);
  }
  await page.keyboard.press("l");
  await expect(page.getByRole("button", { name: "Steps", pressed: true })).toBeVisible();
  await harmless(page);
  await page.keyboard.press("r");
  await expect(page.getByRole("button", { name: "Raw", pressed: true })).toBeVisible();
  await harmless(page);
});

test("direction marks and terminal codes are made visible", async ({ page, project }) => {
  const trace = await project.send({
    task: PAYLOADS.bidi ?? "",
    final_response: PAYLOADS["ansi escapes"] ?? "",
  });
  await page.goto(project.page(`/traces?peek=${trace}`));
  const peek = page.getByRole("complementary", { name: "Preview" });
  await expect(peek.getByRole("heading", { name: "Task" })).toBeVisible();
  const text = (await peek.innerText()) + (await page.title());
  // oxlint-disable-next-line no-control-regex -- those are what must not be there
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u001b]/);
});

test("a misleading link shows its target, and a remote image is shown as text", async ({ page, project }) => {
  const trace = await project.send({
    task: "Links",
    trajectory: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: `${PAYLOADS["link that lies"]}\n\n${PAYLOADS["remote image, markdown"]}`,
      },
    ],
  });
  await page.goto(project.page(`/traces/${trace}`));
  const link = page.getByRole("link", { name: /bank\.example/ });
  await expect(link).toContainText("evil.example");
  await expect(link).toHaveAttribute("rel", /noopener noreferrer nofollow/);
  await expect(page.getByText(/image not loaded: chart/)).toBeVisible();
});

async function send(project: Project, text: string): Promise<string> {
  return project.send({
    task: text,
    model: text.slice(0, 200),
    metadata: { [text.slice(0, 60)]: text.slice(0, 2_000), list: [text.slice(0, 200)] },
    final_response: text,
    trajectory: messages(text, 0),
  });
}

function messages(text: string, n: number): Message[] {
  const call = { name: text.slice(0, 100), arguments: JSON.stringify({ [text.slice(0, 50)]: text }) };
  return [
    { role: "user", content: text },
    { role: "assistant", content: text, tool_calls: [{ id: `c${n}`, type: "function", function: call }] },
    { role: "tool", tool_call_id: `c${n}`, name: text.slice(0, 100), content: text },
    { role: "assistant", content: [{ type: "text", text }] },
  ];
}

/** Checks the page for elements that no text may create. */
async function harmless(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const main = document.querySelector("main");
    const bad = [
      ...(main?.querySelectorAll(
        "script, iframe, object, embed, base, meta, style, link, svg [href], animate",
      ) ?? []),
      ...[...(main?.querySelectorAll("a[href]") ?? [])].filter(
        (one) => !["http:", "https:", "mailto:"].includes((one as HTMLAnchorElement).protocol),
      ),
      ...[...(main?.querySelectorAll("img, video, audio, source") ?? [])].filter(
        (one) => !/^data:image\/(png|jpeg|webp|gif)[;,]/.test(one.getAttribute("src") ?? ""),
      ),
      ...[...(main?.querySelectorAll("*") ?? [])].filter((one) =>
        [...one.attributes].some((attribute) => attribute.name.startsWith("on")),
      ),
    ].map((one) => one.outerHTML.slice(0, 200));
    if (({} as Record<string, unknown>).polluted !== undefined) bad.push("the object prototype was changed");
    if (document.documentElement.scrollWidth > window.innerWidth) bad.push("the page overflows horizontally");
    return bad;
  });
  expect(found).toEqual([]);
}
