// Every address in both themes: nothing that axe objects to, one first heading, landmarks.
import { violations } from "../stage/axe";
import { ROUTES, routesOf, type Scene } from "../stage/routes";
import { expect, test } from "../stage/test";

// The policy of the page would refuse axe; whether the page breaks the policy is what all other tests look at.
test.use({ bypassCSP: true });
test.setTimeout(150_000);

test("every route and its states, in both themes", async ({ page, project }) => {
  const memory = await project.remember("Book a meeting", "Dates are UTC.");
  const trace = await project.send({
    task: "Book a meeting",
    model: "large",
    retrieved_memory_ids: [memory],
    trajectory: [
      { role: "user", content: "Book a meeting" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [{ id: "a", type: "function", function: { name: "find", arguments: '{"day": 1}' } }],
      },
      { role: "tool", tool_call_id: "a", content: '{"error": "no such day"}' },
      { role: "assistant", content: "# Booked\n\n- [x] Tuesday\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
    ],
  });
  const scene: Scene = { project, trace, memory };
  await page.goto(project.page());
  const wrong: string[] = [];
  for (const route of await routesOf(page)) {
    const entry = ROUTES[route];
    expect(entry, `${route} has no entry in stage/routes.ts`).toBeDefined();
    if (entry?.path == null) continue;
    const look = async (state: string) => {
      wrong.push(...(await violations(page)).map((one) => `${route}, ${state}: ${one}`));
    };
    await page.goto(`${project.server}${entry.path(scene)}`);
    await expect(page.getByRole("heading", { level: 1, name: entry.title })).toHaveCount(1);
    await expect(page.getByRole("main")).toHaveCount(1);
    await entry.ready?.(page);
    await look("as it opens");
    for (const [name, reach] of Object.entries(entry.states ?? {})) {
      await reach(page);
      await look(name);
    }
  }
  expect(wrong).toEqual([]);
});

test("the page of the server for signing in", async ({ context, installation, page }) => {
  await context.clearCookies();
  await page.goto(`${installation.server.url}/login`);
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});
