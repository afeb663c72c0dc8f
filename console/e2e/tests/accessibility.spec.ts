// Every route in both themes: no axe violations, exactly one h1, landmarks.
import { violations } from "../support/axe";
import type { Project } from "../support/project";
import { ROUTES, routesOf, type Fixture } from "../support/routes";
import { waitUntilIdle } from "../support/idle";
import { expect, test } from "../support/test";

// The content security policy would block axe. All other tests check the policy.
test.use({ bypassCSP: true });

test("every route of the router has an entry", async ({ page, project }) => {
  await page.goto(project.page());
  await page.getByRole("heading", { level: 1 }).waitFor();
  const known = await routesOf(page);
  expect(known.length).toBeGreaterThan(5);
  expect(known.filter((route) => ROUTES[route] === undefined)).toEqual([]);
});

for (const [route, entry] of Object.entries(ROUTES)) {
  const { path } = entry;
  if (path === null) continue;
  test(`${route} and its states, in both themes`, async ({ page, project }) => {
    await page.goto(`${project.server}${path(await fixture(project))}`);
    await expect(page.getByRole("heading", { level: 1, name: entry.title })).toHaveCount(1);
    await expect(page.getByRole("main")).toHaveCount(1);
    await entry.ready?.(page);
    await waitUntilIdle(page);
    const wrong = await violations(page);
    for (const [name, reach] of Object.entries(entry.states ?? {})) {
      await reach(page);
      await waitUntilIdle(page);
      wrong.push(...(await violations(page)).map((one) => `${name}: ${one}`));
    }
    expect(wrong).toEqual([]);
  });
}

test("the server-rendered sign-in page", async ({ context, installation, page }) => {
  await context.clearCookies();
  await page.goto(`${installation.server.url}/login`);
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

async function fixture(project: Project): Promise<Fixture> {
  const memory = await project.remember("Book a meeting", "Dates are UTC.");
  const call = { name: "find", arguments: '{"day": 1}' };
  const trace = await project.send({
    task: "Book a meeting",
    model: "large",
    retrieved_memory_ids: [memory],
    trajectory: [
      { role: "user", content: "Book a meeting" },
      { role: "assistant", content: "I look.", tool_calls: [{ id: "a", type: "function", function: call }] },
      { role: "tool", tool_call_id: "a", content: '{"error": "no such day"}' },
      { role: "assistant", content: "# Booked\n\n- [x] Tuesday\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
    ],
  });
  await project.showAllSignals();
  await project.signal("merge", { trace_id: trace, outcome: "pass", url: "https://git.example/118" });
  await project.signal("evaluation", { trace_id: trace, score: 0.5, comment: "Tuesday is **not** a date." });
  return { project, trace, memory };
}
