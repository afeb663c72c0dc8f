// Format detection.
import { expect, it } from "vitest";
import { cells, detectFormat } from "./detect-format";

it("detects formats", () => {
  expect(detectFormat('{"a": 1}')).toEqual({ form: "json", value: { a: 1 } });
  expect(detectFormat("--- a/x\n+++ b/x\n@@ -1 +1 @@").form).toBe("diff");
  expect(detectFormat("Traceback (most recent call last):\n  File x").form).toBe("trace");
  expect(detectFormat("id,total\n1,2\n3,4").form).toBe("table");
  expect(detectFormat("Hello, this is fine.\nAnd so, is this.").form).toBe("text");
  expect(detectFormat("<html><script>x</script></html>").form).toBe("text");
});

it("splits rows, also quoted ones", () => {
  expect(cells('a,b\n"1,5",2').rows).toEqual([
    ["a", "b"],
    ["1,5", "2"],
  ]);
  expect(cells(`a,b\n${"1,2\n".repeat(300)}`).cut).toBe(true);
});
