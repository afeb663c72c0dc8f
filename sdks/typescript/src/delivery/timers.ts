/** Timers that do not keep the process alive. */

/** The timer, which does not keep the process alive on platforms where timers do. */
export function unreferenced<T>(timer: T): T {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
