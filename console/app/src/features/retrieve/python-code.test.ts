// The query as Python code.
import { expect, it } from "vitest";
import { pythonCode, pythonText } from "./python-code";

it("escapes texts for Python", () => {
  expect(pythonText('say "hi"\n\\o/')).toBe('"say \\"hi\\"\\n\\\\o/"');
  expect(pythonText("Grüße 😀")).toBe('"Grüße 😀"');
  expect(pythonText("a\u202eb\u{e0041}")).toBe('"a\\u202eb\\U000e0041"');
});

it("lists only parameters that differ from the default", () => {
  const code = pythonCode("http://127.0.0.1:8000", "support", {
    task: "Refund",
    limit: 3,
    least: 0,
  });
  expect(code).toContain('    "Refund",\n    limit=3,\n    similarity_threshold=0,\n)');
  expect(code).toContain('project_id="support"');
  expect(code).not.toContain("lambda_");
});
