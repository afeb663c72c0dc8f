// What this reviewer said about failed runs before, to say it again with one key.

const KEEP = 8;

const place = (project: string) => `reflect.phrases.${project}`;

/** The last different ones, the newest first. */
export function phrases(project: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place(project)) ?? "[]");
    return Array.isArray(kept)
      ? kept.filter((one): one is string => typeof one === "string").slice(0, KEEP)
      : [];
  } catch {
    return [];
  }
}

export function noteFeedback(project: string, text: string): void {
  // Long ones are about one run only.
  if (text.length > 200) return;
  const others = phrases(project).filter((one) => one !== text);
  try {
    localStorage.setItem(place(project), JSON.stringify([text, ...others].slice(0, KEEP)));
  } catch {
    // Then nothing is offered next time.
  }
}

/** Whether feedback says enough to learn from. */
export function howSpecific(text: string): "empty" | "vague" | "specific" {
  const said = text.trim();
  if (said === "") return "empty";
  return said.length < 15 || said.split(/\s+/).length < 3 ? "vague" : "specific";
}
