// The page docs/reference/keys.md, made from the key tables. `just console-keys` writes it again.
import { expect, it } from "vitest";
import { keyTables } from "../pages";
import { globalKeys } from "../shell/actions";
import type { ActionSpec } from "./KeyProvider";
import { keyLabel } from "./labels";

const OPENING = `# Keys of the console

Made from the console's own tables (\`just console-keys\`). \`?\` shows the keys of the page you are on, \`Ctrl+K\`
every action. Single-letter keys can be changed or switched off under *Settings, Keys*. On a Mac, \`Ctrl\` is \`⌘\`. The terminal
review has the keys of the page Review. [CONSOLE](../CONSOLE.md) shows the pages.

A key does nothing while you write, while a dialog is open, or while another key is held, but for the chords and \`Esc\`.
Verdicts count once per press, after the run was on screen for a quarter of a second.
`;

it("lists every key of every screen", async () => {
  const tables = [{ screen: "Everywhere", specs: globalKeys() }, ...keyTables()];
  const sections = tables.map(({ screen, specs }) => {
    expect(specs, screen).not.toHaveLength(0);
    return `\n## ${screen}\n\n| Key | Does |\n| --- | --- |\n${specs.map(row).join("")}`;
  });

  await expect(OPENING + sections.join("")).toMatchFileSnapshot("../../../../docs/reference/keys.md");
});

function row({ keys, label }: ActionSpec): string {
  const shown = keys.map((key) => `\`${keyLabel(key)}\``).join(", ");
  return `| ${shown === "" ? "`Ctrl+K`, then its name" : shown} | ${label} |\n`;
}
