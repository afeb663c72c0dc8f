// The safety rules for keyboard reviews in the browser, one by one.
import type { Page } from "@playwright/test";
import { ReviewPage } from "../support/review-page";
import type { Project } from "../support/project";
import { expect, test } from "../support/test";

const OLDEST = "?order=oldest";

async function five(page: Page, project: Project): Promise<ReviewPage> {
  await project.sendMany(5, (n) => ({ task: `Task ${n}` }));
  const reviewPage = await ReviewPage.open(page, project, OLDEST);
  await reviewPage.shows("Task 1");
  return reviewPage;
}

test("rule 1: a held key gives only one verdict", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  await page.keyboard.down("y");
  await reviewPage.hasDone(1);
  await reviewPage.shows("Task 2");
  for (let n = 0; n < 5; n += 1) {
    await reviewPage.ready();
    // A second keydown without keyup is a repeat.
    await page.keyboard.down("y");
  }
  await page.keyboard.up("y");
  await reviewPage.shows("Task 2");
  expect(await reviewPage.done()).toBe(1);
});

test("rule 1: a second key on a run that was visible too briefly does nothing", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  await Promise.all(["y", "y", "1", "Shift+N"].map((key) => page.keyboard.press(key)));
  await reviewPage.shows("Task 2");
  expect(await reviewPage.done()).toBe(1);
  await reviewPage.ready();
  await page.keyboard.press("y");
  await reviewPage.hasDone(2);
});

test("rule 1: the same guard applies to the mouse", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  await page.evaluate(() => {
    const pass = () =>
      [...document.querySelectorAll("button")].find((one) => one.innerText.startsWith("Pass"));
    const seen = new MutationObserver(() => pass()?.click());
    seen.observe(document.body, { subtree: true, childList: true });
    pass()?.click();
  });
  await reviewPage.shows("Task 2");
  expect(await reviewPage.done()).toBe(1);
});

test("rule 2: no action runs while the user types", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  await page.keyboard.press("f");
  await page.keyboard.type("yes 1 no 2 deny skip undo g r");
  await expect(page.getByLabel("Feedback")).toHaveValue("yes 1 no 2 deny skip undo g r");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Filter the queue" }).focus();
  await page.keyboard.type("yn12");
  await reviewPage.shows("Task 1");
  expect(await reviewPage.done()).toBe(0);
});

test("rule 2: no action runs while a dialog is open", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  for (const [key, name] of [
    ["?", "Keys"],
    ["a", "One verdict for many runs"],
    ["Control+k", "Actions"],
  ] as const) {
    await page.keyboard.press(key);
    const dialog = page.getByRole("dialog", { name });
    await expect(dialog).toBeVisible();
    for (const pressed of ["y", "1", "n", "s", "j"]) await page.keyboard.press(pressed);
    await page.keyboard.press("Escape");
    // The first Escape clears the search text of the command palette.
    if (name === "Actions") await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await reviewPage.shows("Task 1");
  }
  expect(await reviewPage.done()).toBe(0);
  await page.keyboard.press("y");
  await reviewPage.hasDone(1);
});

test("rule 2: no action runs between opening a dialog or search and its first paint", async ({
  page,
  project,
}) => {
  const reviewPage = await five(page, project);
  // Does not wait, like a fast typist.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("yn12sj");
  await expect(page.getByRole("searchbox", { name: "Search actions" })).toHaveValue("yn12sj");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.keyboard.press("/");
  await page.keyboard.type("yn12sj");
  await expect(page.getByRole("searchbox", { name: "Find in the trajectory" })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await reviewPage.shows("Task 1");
  expect(await reviewPage.done()).toBe(0);
});

test("rule 2: no action runs while Ctrl, Alt or Meta is held", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  for (const held of ["Control", "Alt", "Meta"]) {
    for (const key of ["y", "1", "2", "s"]) await page.keyboard.press(`${held}+${key}`);
  }
  await reviewPage.shows("Task 1");
  expect(await reviewPage.done()).toBe(0);
});

test("rule 3: Enter and Space alone give no verdict", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  for (const key of ["Enter", "Space", "Enter"]) await page.keyboard.press(key);
  expect(await reviewPage.done()).toBe(0);
  // Enter and Space press a focused button as usual, but not the button of the next run.
  await reviewPage.button("Pass").focus();
  await page.keyboard.press("Enter");
  await reviewPage.hasDone(1);
  await reviewPage.ready();
  for (const key of ["Enter", "Space", "Enter"]) await page.keyboard.press(key);
  await reviewPage.shows("Task 2");
  expect(await reviewPage.done()).toBe(1);
});

test("rule 4: single-letter keys can be turned off; buttons and key combinations still work", async ({
  page,
  project,
}) => {
  const reviewPage = await five(page, project);
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "Turn them off" }).click();
  await page.keyboard.press("Escape");
  for (const key of ["y", "1", "Shift+N", "s", "?"]) await page.keyboard.press(key);
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await reviewPage.done()).toBe(0);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search actions" })).toBeFocused();
  await page.keyboard.type("Verdict: Pass");
  await page.keyboard.press("Enter");
  await reviewPage.hasDone(1);
  await page.reload();
  await reviewPage.ready();
  await page.keyboard.press("y");
  expect(await reviewPage.done()).toBe(0);
});

test("rule 4: the digit keys work on layouts whose digits need Shift", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  const session = await page.context().newCDPSession(page);
  for (const type of ["keyDown", "keyUp"] as const) {
    await session.send("Input.dispatchKeyEvent", { type, key: "&", code: "Digit1", text: "&" });
  }
  await reviewPage.hasDone(1);
});

test("rules 4 and 5: custom keys work, and the button shows the active key", async ({ page, project }) => {
  await page.addInitScript(() =>
    localStorage.setItem("reflect.keys", JSON.stringify({ singleKeys: true, own: { pass: ["p"] } })),
  );
  const reviewPage = await five(page, project);
  await expect(reviewPage.button("Pass").locator("kbd")).toHaveText("P");
  await page.keyboard.press("y");
  expect(await reviewPage.done()).toBe(0);
  await page.keyboard.press("p");
  await reviewPage.hasDone(1);
});

test("rule 5: every verdict's key is printed on its button", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  for (const [label, key] of Object.entries({ Pass: "Y", Fail: "N", Defer: "D", Skip: "S", Undo: "U" })) {
    await expect(reviewPage.panel.getByRole("button", { name: label }).locator("kbd")).toHaveText(key);
  }
});

test("rule 6: a sequence consumes its second key", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  await page.keyboard.press("g");
  await page.keyboard.press("y");
  await reviewPage.shows("Task 1");
  expect(await reviewPage.done()).toBe(0);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  // `r` alone would have opened the raw view.
  await expect(page.getByRole("region", { name: "Trajectory" })).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page.getByRole("heading", { level: 1, name: "Traces" })).toBeVisible();
});

test("rule 7: a key does the same wherever the focus is", async ({ page, project }) => {
  const reviewPage = await five(page, project);
  const places = [
    page.getByRole("navigation", { name: "Queue" }).getByRole("button").first(),
    reviewPage.run,
    reviewPage.button("Skip"),
    page.getByRole("link", { name: "Overview" }),
  ];
  let n = 0;
  for (const place of places) {
    await reviewPage.ready();
    await place.focus();
    await page.keyboard.press("y");
    n += 1;
    await reviewPage.hasDone(n);
    await reviewPage.shows(`Task ${n + 1}`);
  }
});
