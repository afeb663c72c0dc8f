// Text of runs is text. Whatever stands in it, nothing runs, nothing is fetched, nothing covers the page, and the tab
// lives. The watch of every test looks for dialogs, calls elsewhere, breaches of the policy and errors; see stage/watch.
import type { Page } from "@playwright/test";
import { Desk } from "../stage/desk";
import { PAYLOADS } from "../stage/payloads";
import type { Message, Project } from "../stage/project";
import { expect, test } from "../stage/test";

const NAMES = Object.keys(PAYLOADS);

test("there are forty of them", () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(40);
});

test("as task, model, metadata, tool, feedback: in the list, in a peek, in the queue", async ({
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
    page.getByRole("complementary", { name: "Peek" }).getByRole("heading", { name: "Task" }),
  ).toBeVisible();
  await harmless(page);

  const desk = await Desk.open(page, project, "?order=oldest");
  for (let n = 1; n <= NAMES.length; n += 1) {
    await expect(desk.button("Pass")).toBeVisible();
    await harmless(page);
    await page.keyboard.press("s");
  }
  await expect(page.getByRole("heading", { name: "Nothing is waiting" })).toBeVisible();
  expect(await desk.done()).toBe(0);
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
  // Past all of them, a screen at a time, so that each is drawn once.
  for (let step = 1; step <= total; step += 6) {
    for (let n = 0; n < 6; n += 1) await page.keyboard.press("]");
    // Every one of the six keys counted, however fast they came.
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

test("direction marks and terminal codes are shown for what they are", async ({ page, project }) => {
  const trace = await project.send({
    task: PAYLOADS.bidi ?? "",
    final_response: PAYLOADS["ansi escapes"] ?? "",
  });
  await page.goto(project.page(`/traces?peek=${trace}`));
  const peek = page.getByRole("complementary", { name: "Peek" });
  await expect(peek.getByRole("heading", { name: "Task" })).toBeVisible();
  const text = (await peek.innerText()) + (await page.title());
  // oxlint-disable-next-line no-control-regex -- those are what must not be there
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u001b]/);
});

test("a link that lies shows where it leads, and a picture from elsewhere is a text", async ({
  page,
  project,
}) => {
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
  await expect(page.getByText(/picture not loaded: chart/)).toBeVisible();
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

/** Looks at the page for what no text may make there. */
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
    if (({} as Record<string, unknown>).polluted !== undefined)
      bad.push("the prototype of everything changed");
    if (document.documentElement.scrollWidth > window.innerWidth) bad.push("the page grew sideways");
    return bad;
  });
  expect(found).toEqual([]);
}
