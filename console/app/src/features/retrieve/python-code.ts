// The same query as Python code for the published SDK.
import { type Settings, DEFAULTS } from "./settings";

/** A Python string literal. Invisible characters are escaped. */
export function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    // Unlike JSON, Python does not combine surrogate pairs in escapes.
    return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
}

export function pythonCode(url: string, project: string, settings: Settings): string {
  const options = [
    ["limit", settings.limit, DEFAULTS.limit],
    ["lambda_", settings.weight, undefined],
    ["similarity_threshold", settings.least, undefined],
    ["mmr_lambda", settings.variety, DEFAULTS.variety],
    ["max_tokens", settings.room, DEFAULTS.room],
  ] as const;
  const named = options.flatMap(([name, value, usual]) =>
    value === undefined || value === usual ? [] : [`    ${name}=${value},`],
  );
  return [
    "import os",
    "from reflect_sdk import ReflectClient",
    "",
    `client = ReflectClient(base_url=${pythonText(url)}, api_key=os.environ["REFLECT_API_KEY"], project_id=${pythonText(project)})`,
    "augmented = client.augment_with_memories(",
    `    ${pythonText(settings.task ?? "")},`,
    ...named,
    ")",
    "print(augmented.augmented_task)",
    "",
  ].join("\n");
}
