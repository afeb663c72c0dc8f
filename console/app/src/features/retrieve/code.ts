// The same question as Python, for the published client.
import { type Settings, USUAL } from "./settings";

/** A text as Python writes it. What cannot be seen is written as a number. */
export function pythonText(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    // Python does not make one character of two halves, as JSON does.
    return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
}

export function pythonCode(url: string, project: string, settings: Settings): string {
  const options = [
    ["limit", settings.limit, USUAL.limit],
    ["lambda_", settings.weight, USUAL.weight],
    ["similarity_threshold", settings.least, undefined],
    ["mmr_lambda", settings.variety, USUAL.variety],
    ["max_tokens", settings.room, USUAL.room],
  ] as const;
  const said = options.flatMap(([name, value, usual]) =>
    value === undefined || value === usual ? [] : [`    ${name}=${value},`],
  );
  return [
    "import os",
    "from reflect_sdk import ReflectClient",
    "",
    `client = ReflectClient(base_url=${pythonText(url)}, api_key=os.environ["REFLECT_API_KEY"], project_id=${pythonText(project)})`,
    "augmented = client.augment_with_memories(",
    `    ${pythonText(settings.task ?? "")},`,
    ...said,
    ")",
    "print(augmented.augmented_task)",
    "",
  ].join("\n");
}
