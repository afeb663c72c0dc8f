// The safety rules of reviewing by keyboard, in the browser, one by one.
import type { Page } from "@playwright/test";
import { Desk } from "../stage/desk";
import type { Project } from "../stage/project";
import { expect, test } from "../stage/test";

const OLDEST = "?order=oldest";

async function five(page: Page, project: Project): Promise<Desk> {
  await project.sendMany(5, (n) => ({ task: `Task ${n}` }));
  const desk = await Desk.open(page, project, OLDEST);
  await desk.shows("Task 1");
  return desk;
}

test("rule 1: a held key gives one verdict, however long it is held", async ({ page, project }) => {
  const desk = await five(page, project);
  await page.keyboard.down("y");
  await desk.hasDone(1);
  await desk.shows("Task 2");
  for (let n = 0; n < 5; n += 1) {
    await desk.ready();
    // The same key going down again without coming up is what a browser calls a repeat.
    await page.keyboard.down("y");
  }
  await page.keyboard.up("y");
  await desk.shows("Task 2");
  expect(await desk.done()).toBe(1);
});

test("rule 1: a second key on a run that only flashed by does nothing", async ({ page, project }) => {
  const desk = await five(page, project);
  await Promise.all(["y", "y", "1", "Shift+N"].map((key) => page.keyboard.press(key)));
  await desk.shows("Task 2");
  expect(await desk.done()).toBe(1);
  await desk.ready();
  await page.keyboard.press("y");
  await desk.hasDone(2);
});

test("rule 1: the mouse passes the same guard", async ({ page, project }) => {
  const desk = await five(page, project);
  await page.evaluate(() => {
    const pass = () =>
      [...document.querySelectorAll("button")].find((one) => one.innerText.startsWith("Pass"));
    const seen = new MutationObserver(() => pass()?.click());
    seen.observe(document.body, { subtree: true, childList: true });
    pass()?.click();
  });
  await desk.shows("Task 2");
  expect(await desk.done()).toBe(1);
});

test("rule 2: nothing fires while somebody writes", async ({ page, project }) => {
  const desk = await five(page, project);
  await page.keyboard.press("f");
  await page.keyboard.type("yes 1 no 2 deny skip undo g r");
  await expect(page.getByLabel("Feedback")).toHaveValue("yes 1 no 2 deny skip undo g r");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Filter the queue" }).focus();
  await page.keyboard.type("yn12");
  await desk.shows("Task 1");
  expect(await desk.done()).toBe(0);
});

test("rule 2: nothing fires while a dialog is open", async ({ page, project }) => {
  const desk = await five(page, project);
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
    // What was typed into the list of actions is cleared first.
    if (name === "Actions") await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await desk.shows("Task 1");
  }
  expect(await desk.done()).toBe(0);
  await page.keyboard.press("y");
  await desk.hasDone(1);
});

test("rule 2: nothing fires between asking for a sheet or a search and seeing it", async ({
  page,
  project,
}) => {
  const desk = await five(page, project);
  // Nothing is waited for: a fast typist does not look.
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
  await desk.shows("Task 1");
  expect(await desk.done()).toBe(0);
});

test("rule 2: nothing fires with Ctrl, Alt or Meta held", async ({ page, project }) => {
  const desk = await five(page, project);
  for (const held of ["Control", "Alt", "Meta"]) {
    for (const key of ["y", "1", "2", "s"]) await page.keyboard.press(`${held}+${key}`);
  }
  await desk.shows("Task 1");
  expect(await desk.done()).toBe(0);
});

test("rule 3: Enter and Space alone give no verdict", async ({ page, project }) => {
  const desk = await five(page, project);
  for (const key of ["Enter", "Space", "Enter"]) await page.keyboard.press(key);
  expect(await desk.done()).toBe(0);
  // A button that has the focus is pressed by them, as buttons are; the next run's is not.
  await desk.button("Pass").focus();
  await page.keyboard.press("Enter");
  await desk.hasDone(1);
  await desk.ready();
  for (const key of ["Enter", "Space", "Enter"]) await page.keyboard.press(key);
  await desk.shows("Task 2");
  expect(await desk.done()).toBe(1);
});

test("rule 4: single keys can be switched off; buttons and chords still work", async ({ page, project }) => {
  const desk = await five(page, project);
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "Switch them off" }).click();
  await page.keyboard.press("Escape");
  for (const key of ["y", "1", "Shift+N", "s", "?"]) await page.keyboard.press(key);
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await desk.done()).toBe(0);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search actions" })).toBeFocused();
  await page.keyboard.type("Verdict: Pass");
  await page.keyboard.press("Enter");
  await desk.hasDone(1);
  await page.reload();
  await desk.ready();
  await page.keyboard.press("y");
  expect(await desk.done()).toBe(0);
});

test("rule 4: the digit keys count on layouts whose digits need Shift", async ({ page, project }) => {
  const desk = await five(page, project);
  const session = await page.context().newCDPSession(page);
  for (const type of ["keyDown", "keyUp"] as const) {
    await session.send("Input.dispatchKeyEvent", { type, key: "&", code: "Digit1", text: "&" });
  }
  await desk.hasDone(1);
});

test("rules 4 and 5: other keys can be set, and the button shows the key that counts", async ({
  page,
  project,
}) => {
  await page.addInitScript(() =>
    localStorage.setItem("reflect.keys", JSON.stringify({ singleKeys: true, own: { pass: ["p"] } })),
  );
  const desk = await five(page, project);
  await expect(desk.button("Pass").locator("kbd")).toHaveText("P");
  await page.keyboard.press("y");
  expect(await desk.done()).toBe(0);
  await page.keyboard.press("p");
  await desk.hasDone(1);
});

test("rule 5: every verdict's key is printed on its button", async ({ page, project }) => {
  const desk = await five(page, project);
  for (const [label, key] of Object.entries({ Pass: "Y", Fail: "N", Defer: "D", Skip: "S", Undo: "U" })) {
    await expect(desk.panel.getByRole("button", { name: label }).locator("kbd")).toHaveText(key);
  }
});

test("rule 6: a sequence takes its second key and nothing else does", async ({ page, project }) => {
  const desk = await five(page, project);
  await page.keyboard.press("g");
  await page.keyboard.press("y");
  await desk.shows("Task 1");
  expect(await desk.done()).toBe(0);
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  // `r` alone would have opened the raw form.
  await expect(page.getByRole("region", { name: "Trajectory" })).toBeHidden();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(page.getByRole("heading", { level: 1, name: "Traces" })).toBeVisible();
});

test("rule 7: a key does the same wherever the focus is", async ({ page, project }) => {
  const desk = await five(page, project);
  const places = [
    page.getByRole("navigation", { name: "Queue" }).getByRole("button").first(),
    desk.run,
    desk.button("Skip"),
    page.getByRole("link", { name: "Overview" }),
  ];
  let n = 0;
  for (const place of places) {
    await desk.ready();
    await place.focus();
    await page.keyboard.press("y");
    n += 1;
    await desk.hasDone(n);
    await desk.shows(`Task ${n + 1}`);
  }
});
