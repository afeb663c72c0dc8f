// The programs that people paste.
import { expect, it } from "vitest";
import { FORMS, NO_KEY, snippet } from "./snippets";

const place = { url: "http://127.0.0.1:8000", key: "rf_live_a", project: 'a "b"' };

it("has address, key and project in every form", () => {
  for (const form of FORMS) {
    const code = snippet(form, place);
    expect(code).toContain('base_url="http://127.0.0.1:8000"');
    expect(code).toContain('api_key="rf_live_a"');
    expect(code).toContain('project_id="a \\"b\\""');
  }
});

it("shows where a key belongs that is not known", () => {
  expect(snippet("Explicit", { ...place, key: null })).toContain(`api_key="${NO_KEY}"`);
});

it("says which memories were shown, or nobody could credit them", () => {
  expect(snippet("Explicit", place)).toContain("retrieved_memory_ids=augmented.memory_ids");
});
