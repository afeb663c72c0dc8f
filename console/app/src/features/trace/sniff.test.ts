// What texts are taken for.
import { expect, it } from "vitest";
import { cells, sniff } from "./sniff";

it("tells forms apart", () => {
  expect(sniff('{"a": 1}')).toEqual({ form: "json", value: { a: 1 } });
  expect(sniff("--- a/x\n+++ b/x\n@@ -1 +1 @@").form).toBe("diff");
  expect(sniff("Traceback (most recent call last):\n  File x").form).toBe("trace");
  expect(sniff("id,total\n1,2\n3,4").form).toBe("table");
  expect(sniff("Hello, this is fine.\nAnd so, is this.").form).toBe("text");
  expect(sniff("<html><script>x</script></html>").form).toBe("text");
});

it("splits rows, also quoted ones", () => {
  expect(cells('a,b\n"1,5",2').rows).toEqual([
    ["a", "b"],
    ["1,5", "2"],
  ]);
  expect(cells(`a,b\n${"1,2\n".repeat(300)}`).cut).toBe(true);
});
