/** Lists that the server returns page by page. */

/**
 * A list of the server. Iterate over it with `for await`: pages are requested as they are needed.
 *
 *     for await (const trace of client.traces.list({ reviewStatus: "pending" })) { ... }
 */
export class Pages<T> implements AsyncIterable<T> {
  readonly #next: (cursor: string | undefined) => Promise<Page<T>>;

  /** @internal */
  constructor(next: (cursor: string | undefined) => Promise<Page<T>>) {
    this.#next = next;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#next(cursor);
      yield* page.entries;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** The first entries, at most `limit`. */
  async toArray(limit = Infinity): Promise<T[]> {
    const found: T[] = [];
    if (limit <= 0) return found;
    for await (const entry of this) {
      found.push(entry);
      if (found.length >= limit) break;
    }
    return found;
  }
}

/** One page, and where the next one begins. */
export interface Page<T> {
  readonly entries: T[];
  readonly cursor: string | undefined;
}
