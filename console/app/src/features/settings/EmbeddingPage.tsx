export function EmbeddingPage() {
  return null;
}
