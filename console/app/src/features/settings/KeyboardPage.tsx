export function KeyboardPage() {
  return null;
}
