// The example programs.
import { expect, it } from "vitest";
import { FORMS, NO_KEY, snippet } from "./snippets";

const place = { url: "http://127.0.0.1:8000", key: "rf_live_a", project: 'a "b"' };

it("contains address, key and project in every style", () => {
  for (const form of FORMS) {
    const code = snippet(form, place);
    expect(code).toContain('base_url="http://127.0.0.1:8000"');
    expect(code).toContain('api_key="rf_live_a"');
    expect(code).toContain('project_id="a \\"b\\""');
  }
});

it("contains a placeholder for a missing key", () => {
  expect(snippet("Explicit", { ...place, key: null })).toContain(`api_key="${NO_KEY}"`);
});

it("reports the retrieved memories, because credit depends on them", () => {
  expect(snippet("Explicit", place)).toContain("retrieved_memory_ids=augmented.memory_ids");
});
