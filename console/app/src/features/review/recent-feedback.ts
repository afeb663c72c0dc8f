// Recent feedback of this reviewer on failed runs, to insert it again with one key.

const MAX_ENTRIES = 8;

const storageKey = (project: string) => `reflect.phrases.${project}`;

/** The most recent distinct texts, newest first. */
export function recentFeedback(project: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(project)) ?? "[]");
    return Array.isArray(kept)
      ? kept.filter((one): one is string => typeof one === "string").slice(0, MAX_ENTRIES)
      : [];
  } catch {
    return [];
  }
}

export function rememberFeedback(project: string, text: string): void {
  // Long texts apply to one run only.
  if (text.length > 200) return;
  const others = recentFeedback(project).filter((one) => one !== text);
  try {
    localStorage.setItem(storageKey(project), JSON.stringify([text, ...others].slice(0, MAX_ENTRIES)));
  } catch {
    // Without storage, nothing is suggested next time.
  }
}

/** Whether the feedback is specific enough to learn from. */
export function specificity(text: string): "empty" | "vague" | "specific" {
  const trimmed = text.trim();
  if (trimmed === "") return "empty";
  return trimmed.length < 15 || trimmed.split(/\s+/).length < 3 ? "vague" : "specific";
}
