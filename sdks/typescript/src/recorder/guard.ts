/** Isolates errors of an adapter from the recorded call. */

const reported = new Set<string>();

/**
 * Runs a function and suppresses what it throws or what its promise rejects with. The first error of each kind is
 * logged. The result is undefined then.
 *
 *     guarded("recording a model call", () => recorder.exchange(request, answer));
 */
export function guarded<T>(doing: string, body: () => T): T | undefined {
  try {
    const result = body();
    if (result instanceof Promise) return result.catch((error: unknown) => report(doing, error)) as T;
    return result;
  } catch (error) {
    report(doing, error);
    return undefined;
  }
}

function report(doing: string, error: unknown): undefined {
  if (reported.has(doing)) return;
  reported.add(doing);
  // oxlint-disable-next-line no-console -- there may be no client whose logger could be used
  console.warn(
    `reflect: recording failed while ${doing}; the call itself is not affected. Logged once.`,
    error,
  );
}
