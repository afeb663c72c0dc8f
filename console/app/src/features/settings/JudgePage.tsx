export function JudgePage() {
  return null;
}
