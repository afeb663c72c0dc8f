// How a verdict would change the q_value of a memory. A pure function.
import type { StoredMemory } from "../../api/memories";
import type { DigestMemory } from "../../api/types";

export type MemoryEffect = {
  now: number;
  afterPass: number;
  afterFail: number;
  /** The number of reviews that moved the q_value; null until the memory is loaded. */
  n: number | null;
};

/**
 * The digest was made when the run was loaded, so earlier verdicts may have moved the memory since. It contains the
 * number of reviews of the credit, which is not the number of reviews of the q_value.
 */
export function memoryEffect(
  digest: DigestMemory,
  memory: Pick<StoredMemory, "q_value" | "reviews"> | undefined,
): MemoryEffect {
  if (memory === undefined) {
    return {
      now: digest.q_value,
      afterPass: digest.q_value_after_pass,
      afterFail: digest.q_value_after_fail,
      n: null,
    };
  }
  const now = memory.q_value;
  // A pass moves the value by this share of the distance to 1, a fail by the same share of the distance to 0.
  const alpha = digest.q_value_after_pass - digest.q_value_after_fail;
  return { now, afterPass: now + alpha * (1 - now), afterFail: now - alpha * now, n: memory.reviews };
}
