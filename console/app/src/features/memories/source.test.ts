// Everything from one source.
import { expect, it } from "vitest";
import { NO_SOURCE, sourceSelection } from "./source";

const ID = "01a1dd7e-3f9d-7268-b8f2-277cca504f80";
const moment = (local: string) => new Date(local).toISOString();

it("is null while incomplete", () => {
  expect(sourceSelection(NO_SOURCE)).toBeNull();
  expect(sourceSelection({ ...NO_SOURCE, key: "mine" })).toBeNull();
  expect(sourceSelection({ ...NO_SOURCE, kind: "trace", key: ID })).toBeNull();
  // A time range without bounds would select every memory.
  expect(sourceSelection({ ...NO_SOURCE, kind: "time" })).toBeNull();
  expect(
    sourceSelection({ ...NO_SOURCE, kind: "time", from: "2026-11-02T00:00", to: "2026-11-01T00:00" }),
  ).toBeNull();
});

it("selects by key, trace or time range, the first two optionally within a time range", () => {
  expect(sourceSelection({ ...NO_SOURCE, key: ID, from: "2026-11-01T00:00" })).toEqual({
    author_key_id: ID,
    created_after: moment("2026-11-01T00:00"),
  });
  expect(sourceSelection({ ...NO_SOURCE, kind: "trace", trace: ID })).toEqual({ source_trace_id: ID });
  expect(sourceSelection({ ...NO_SOURCE, kind: "time", to: "2026-11-01T00:00" })).toEqual({
    created_before: moment("2026-11-01T00:00"),
  });
});
