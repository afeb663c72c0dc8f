/**
 * Generates `src/generated/bodies.ts` (types of request and response bodies) and `src/generated/opaque.ts` from the
 * committed openapi.json.
 *
 * The HTTP contract has snake_case names, the client has camelCase names. `wire/names.ts` converts them at run time, so
 * the generator checks that every name can be converted there and back, and lists the fields whose keys are the
 * caller's own data and must not be converted: all keys in them (`OPAQUE`), or only the outer ones (`MAPS`).
 *
 *     node tools/bodies.mjs            writes the files
 *     node tools/bodies.mjs --check    fails if they are stale
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { camelCase, snakeCase } from "./names.mjs";

const METHODS = ["get", "post", "put", "patch", "delete"];
const here = new URL("..", import.meta.url);
const contract = JSON.parse(readFileSync(new URL("../../openapi.json", here), "utf8"));
const schemas = contract.components.schemas;

const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);

/** The schema without `null`, and whether it allows null. */
function withoutNull(schema) {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== "null");
    return { schema: { ...schema, type: types[0] }, nullable: types.length < schema.type.length };
  }
  if (schema.oneOf) {
    const rest = schema.oneOf.filter((part) => part.type !== "null");
    const nullable = rest.length < schema.oneOf.length;
    return nullable && rest.length === 1 ? { schema: rest[0], nullable } : { schema, nullable };
  }
  return { schema, nullable: false };
}

/**
 * Whose keys are inside a value: `callers`, `ours`, `map` (the caller's keys, and objects of ours as values), `list` of
 * objects of ours, or `none`.
 */
function keysOf(given) {
  const { schema } = withoutNull(given);
  if (schema.$ref) return keysOf(schemas[nameOf(schema.$ref)]);
  if (schema.oneOf) return schema.oneOf.map(keysOf).find((keys) => keys !== "none") ?? "none";
  if (schema.type === "array") {
    const keys = keysOf(schema.items);
    return keys === "ours" ? "list" : keys;
  }
  if (schema.properties || schema.allOf) return "ours";
  if (schema.type !== undefined && schema.type !== "object") return "none";
  const values = schema.additionalProperties;
  return typeof values === "object" && keysOf(values) === "ours" ? "map" : "callers";
}

/** Whether the client could not tell the two apart when it converts the names inside of a field. */
const isAmbiguous = (one, other) =>
  one !== other && (one === "callers" || other === "callers" || (one !== "list" && other !== "list"));

function typeOf(given) {
  const { schema, nullable } = withoutNull(given);
  return nullable ? `${plainTypeOf(schema)} | null` : plainTypeOf(schema);
}

function plainTypeOf(schema) {
  if (schema.$ref) {
    const target = schemas[nameOf(schema.$ref)];
    return target.type === "string" && !target.enum ? "string" : nameOf(schema.$ref);
  }
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const entry = typeOf(schema.items);
      return entry.includes(" | ") ? `(${entry})[]` : `${entry}[]`;
    }
    case "object":
      if (schema.properties) return `{ ${inline(schema)} }`;
      return typeof schema.additionalProperties === "object"
        ? `Record<string, ${typeOf(schema.additionalProperties)}>`
        : "Record<string, unknown>";
    case undefined:
      return "unknown";
    default:
      throw new Error(`unknown type ${schema.type}`);
  }
}

function comment(text, indent = "") {
  if (!text) return "";
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** The description of a field, which may be beside a reference or inside `oneOf`. */
const descriptionOf = (schema) =>
  schema.description ?? schema.oneOf?.find((part) => part.description)?.description;

/** An object without a name of its own, in one line. */
const inline = (schema) =>
  fieldsOf({ ...schema, properties: withoutComments(schema.properties) })
    .trim()
    .replace(/\n\s*/g, " ");

const withoutComments = (properties) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { description: _description, ...value }]) => [name, value]),
  );

const names = new Map();

function field(name, schema, required) {
  const ours = camelCase(name);
  if (snakeCase(ours) !== name)
    throw new Error(`the field ${name} cannot be converted to camelCase and back`);
  const keys = keysOf(schema);
  if (keys !== "none") {
    const known = names.get(name) ?? new Set();
    if ([...known].some((other) => isAmbiguous(keys, other)))
      throw new Error(`the field ${name} has both callers' keys and ours`);
    names.set(name, known.add(keys));
  }
  const type = typeOf(schema);
  return `${comment(descriptionOf(schema), "  ")}  ${ours}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};\n`;
}

function fieldsOf(schema) {
  return Object.entries(schema.properties ?? {})
    .map(([name, value]) => field(name, value, schema.required?.includes(name) ?? false))
    .join("");
}

function declaration(name) {
  const schema = schemas[name];
  const heading = comment(schema.description);
  if (schema.allOf) {
    const bases = schema.allOf.filter((part) => part.$ref).map((part) => nameOf(part.$ref));
    const own = schema.allOf.filter((part) => !part.$ref).map(fieldsOf);
    return `${heading}export interface ${name} extends ${bases.join(", ")} {\n${own.join("")}}\n`;
  }
  if (schema.properties) return `${heading}export interface ${name} {\n${fieldsOf(schema)}}\n`;
  return `${heading}export type ${name} = ${plainTypeOf(schema)};\n`;
}

/** The query of an operation without the cursor, which the client keeps itself. */
function queryOf(operation) {
  const parameters = (operation.parameters ?? []).filter(
    (each) => each.in === "query" && each.name !== "cursor",
  );
  if (parameters.length === 0) return "";
  const title = camelCase(operation.operationId).replace(/^./, (letter) => letter.toUpperCase());
  const fields = parameters.map((each) =>
    field(each.name, { ...each.schema, description: each.description }, each.required ?? false),
  );
  return `/** The query of \`${operation.operationId}\`. */\nexport interface ${title}Query {\n${fields.join("")}}\n`;
}

function reachable(value, found = new Set()) {
  if (Array.isArray(value)) for (const entry of value) reachable(entry, found);
  else if (value && typeof value === "object") {
    for (const [key, entry] of Object.entries(value)) {
      if (key !== "$ref") reachable(entry, found);
      else if (!found.has(nameOf(entry))) {
        found.add(nameOf(entry));
        reachable(schemas[nameOf(entry)], found);
      }
    }
  }
  return found;
}

/** Administration and the console's pages, which the client does not call (docs/reference/client-coverage.md). */
const ABSENT = /\/(audit|client-reports|embedding-change|events|members|overview)\b/;

const operations = Object.entries(contract.paths)
  .filter(([path]) => (path.startsWith("/v1/") && !ABSENT.test(path)) || path === "/health")
  .flatMap(([, methods]) => METHODS.flatMap((method) => methods[method] ?? []));
const used = [
  ...reachable(
    operations.map(({ parameters, requestBody, responses }) => [parameters, requestBody, responses]),
  ),
].toSorted();
const types = used.filter((name) => schemas[name].type !== "string" || schemas[name].enum).map(declaration);
const queries = operations.map(queryOf).filter(Boolean);
const fieldsWith = (keys) =>
  JSON.stringify([...names].flatMap(([name, known]) => (known.has(keys) ? [name] : [])).toSorted());

const head = "// Generated from openapi.json by tools/bodies.mjs. Do not edit.\n\n";
const files = {
  "src/generated/bodies.ts": head + [...types, ...queries].join("\n"),
  "src/generated/opaque.ts": `${head}/** Fields whose keys are the caller's data, by their names in the HTTP contract. */
export const OPAQUE: ReadonlySet<string> = new Set(${fieldsWith("callers")});

/** Fields whose keys are the caller's data, and whose values are objects of the contract. */
export const MAPS: ReadonlySet<string> = new Set(${fieldsWith("map")});\n`,
};

let stale = false;
for (const [path, text] of Object.entries(files)) {
  const file = new URL(path, here);
  if (!process.argv.includes("--check")) {
    mkdirSync(new URL(".", file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, "utf8") !== text) {
    stale = true;
    process.stderr.write(`${path} is stale: run \`npm run generate\`\n`);
  }
}
process.exitCode = stale ? 1 : 0;
