// Texts are in the catalogues, not in components, and are read after they are loaded.
import { type ESTree, parseSync, Visitor } from "vite";
import { expect, it } from "vitest";

const FILES = import.meta.glob<string>(
  ["../**/*.{ts,tsx}", "!../**/*.test.*", "!../api/schema.ts", "!./**"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);
/** Attributes that users read or hear. */
const READ = new Set([
  "about",
  "alt",
  "aria-description",
  "aria-label",
  "aria-roledescription",
  "aria-valuetext",
  "hint",
  "label",
  "placeholder",
  "title",
]);
/** Elements whose content is not in a language. */
const CODE = new Set(["code", "kbd", "pre"]);
const ALLOWED = new Set(["Reflect", "JSON"]);
const LETTER = /\p{L}/u;

const lineOf = (source: string, at: number) => source.slice(0, at).split("\n").length;

/** The texts in a component, each with its line. */
function literals(source: string): string[] {
  const found: string[] = [];
  let code = 0;
  const report = (node: ESTree.Node, text: string) => {
    const words = text.trim().replace(/\s+/g, " ");
    if (code > 0 || !LETTER.test(words.replace(/&\w+;/g, "")) || ALLOWED.has(words)) return;
    const start = node.start + source.slice(node.start).search(/\S/);
    found.push(`${lineOf(source, start)}: ${words}`);
  };
  const isCode = ({ openingElement: { name } }: ESTree.JSXElement) =>
    name.type === "JSXIdentifier" && CODE.has(name.name);
  const { program, errors } = parseSync("source.tsx", source);
  expect(errors).toEqual([]);
  new Visitor({
    JSXElement: (node) => {
      if (isCode(node)) code += 1;
      for (const child of node.children) reportText(child, report);
    },
    "JSXElement:exit": (node) => {
      if (isCode(node)) code -= 1;
    },
    JSXFragment: (node) => {
      for (const child of node.children) reportText(child, report);
    },
    JSXAttribute: (node) => {
      const isRead = node.name.type === "JSXIdentifier" && READ.has(node.name.name);
      if (isRead && node.value !== null) reportText(node.value, report);
    },
  }).visit(program);
  return found;
}

/** Reports the literals that an expression can result in, but not those that it compares or calls with. */
function reportText(node: ESTree.Node, report: (node: ESTree.Node, text: string) => void): void {
  const next = (child: ESTree.Node) => reportText(child, report);
  if (node.type === "JSXText") report(node, node.value);
  else if (node.type === "Literal" && typeof node.value === "string") report(node, node.value);
  else if (node.type === "TemplateLiteral") {
    for (const part of node.quasis) report(node, part.value.cooked ?? "");
    for (const part of node.expressions) next(part);
  } else if (node.type === "JSXExpressionContainer" || node.type === "ParenthesizedExpression") {
    next(node.expression);
  } else if (node.type === "TSAsExpression") next(node.expression);
  else if (node.type === "ConditionalExpression") {
    next(node.consequent);
    next(node.alternate);
  } else if (
    node.type === "LogicalExpression" ||
    (node.type === "BinaryExpression" && node.operator === "+")
  ) {
    next(node.left);
    next(node.right);
  }
}

it("finds texts in elements and attributes, but no code and no compared values", () => {
  const source = `const a = (
    <Box label={open ? "Close" : texts.open} title={"Save " + \`file \${name}\`} kind="plain">
      Hello, {mode === "dark" ? "night" : texts.day} <kbd>Esc</kbd> Reflect {" · "}
    </Box>
  );`;
  expect(literals(source)).toEqual(["3: Hello,", "3: night", "2: Close", "2: Save", "2: file"]);
});

/** The lines that read a text while the module is loaded. */
function earlyReads(source: string): number[] {
  const found: number[] = [];
  let functions = 0;
  const enter = () => void (functions += 1);
  const exit = () => void (functions -= 1);
  new Visitor({
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": exit,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": exit,
    FunctionExpression: enter,
    "FunctionExpression:exit": exit,
    MemberExpression: ({ object, start }) => {
      if (functions === 0 && object.type === "Identifier" && object.name === "t")
        found.push(lineOf(source, start));
    },
    VariableDeclarator: ({ init, start }) => {
      if (functions === 0 && init?.type === "Identifier" && init.name === "t")
        found.push(lineOf(source, start));
    },
  }).visit(parseSync("source.tsx", source).program);
  return found;
}

it("finds none in a component", () => {
  const components = Object.entries(FILES).filter(([file]) => file.endsWith(".tsx"));
  expect(components.length).toBeGreaterThan(50);
  const found = components.flatMap(([file, source]) => literals(source).map((text) => `${file}:${text}`));
  expect(found).toEqual([]);
});

it("finds a text that is read while a module is loaded", () => {
  expect(earlyReads("const a = () => t.a;\nconst b = t.b.c;\nconst { d } = t;")).toEqual([2, 3]);
});

it("reads no text while a module is loaded", () => {
  const found = Object.entries(FILES).flatMap(([file, source]) =>
    earlyReads(source).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});
