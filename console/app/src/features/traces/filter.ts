// The small language of the filter bar: `status:pending result:fail error:true model:gpt-5* since:7d refund`.
import type { RowsQuery, RunFilter } from "../../api/types";

export type Word = {
  /** As it stands in the bar. */
  text: string;
  field: string | null;
  value: string;
  /** What is wrong with it, in words. */
  problem: string | null;
};

/** What a field takes, and what it asks the server for; null for what it does not take. */
export type Rule<Q> = {
  about: string;
  values?: readonly string[];
  apply: (value: string, now: number) => Q | null;
};
export type Fields<Q> = Readonly<Record<string, Rule<Q>>>;

const one = <T extends string>(
  values: readonly T[],
  name: keyof RowsQuery,
  about: string,
): Rule<RowsQuery> => ({
  about,
  values,
  apply: (value) => (values.includes(value as T) ? { [name]: value } : null),
});

export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const SPAN: Record<string, number> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** A moment: `7d` back from now, or a date. */
export function moment(value: string, now: number): string | null {
  const span = /^(\d{1,4})([mhdw])$/.exec(value);
  if (span !== null) return new Date(now - Number(span[1]) * (SPAN[span[2] ?? ""] ?? 0) * 1000).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

const when = (name: "since" | "until", about: string): Rule<RowsQuery> => ({
  about,
  apply: (value, now) => {
    const time = moment(value, now);
    return time === null ? null : { [name]: time };
  },
});

/** Every field that can be asked for. */
const FIELDS: Fields<RowsQuery> = {
  status: one(["pending", "reviewed"], "review_status", "pending or reviewed"),
  result: one(["pass", "fail"], "result", "pass or fail"),
  learning: one(
    ["queued", "processing", "completed", "failed"],
    "ingest_status",
    "queued, processing, completed or failed",
  ),
  error: {
    about: "true or false",
    values: ["true", "false"],
    apply: (value) => (value === "true" || value === "false" ? { has_error: value === "true" } : null),
  },
  model: {
    about: "a name; a star at its end stands for the rest",
    apply: (value) => (value === "" ? null : { model: value }),
  },
  mem: { about: "the id of a memory", apply: (value) => (UUID.test(value) ? { memory_id: value } : null) },
  since: when("since", "such as 2h, 7d or 2026-11-01"),
  until: when("until", "such as 2h, 7d or 2026-11-01"),
};

/** What the bar offers for traces, and for the queue. */
export const TRACE_OFFERS = offersOf(FIELDS);
export const QUEUE_OFFERS = [
  "model:",
  "signal:tool_error",
  "signal:exception",
  "signal:repeated_call",
  "signal:empty_answer",
  "judged:true",
  "judged:false",
];

/** What a bar with these fields offers. */
export function offersOf<Q>(fields: Fields<Q>): string[] {
  return Object.entries(fields).flatMap(([name, rule]) =>
    (rule.values ?? [""]).map((value) => `${name}:${value}`),
  );
}

/** The words of a filter for traces. */
export const wordsOf = (text: string): Word[] => readWords(text, FIELDS);

/** The words of a filter, each with what is wrong with it. */
export function readWords<Q>(text: string, fields: Fields<Q>): Word[] {
  const found = text.matchAll(/(?:([a-z_]+):)?(?:"([^"]*)"|(\S+))/g);
  return [...found].map((match) => {
    const value = match[2] ?? match[3] ?? "";
    const field = match[1] ?? null;
    // An address or a time has a colon too; only known names make a field of it.
    if (field !== null && fields[field] === undefined) {
      return value.startsWith("//")
        ? { text: match[0], field: null, value: match[0], problem: null }
        : { text: match[0], field, value, problem: `There is no field “${field}”.` };
    }
    const rule = field === null ? undefined : fields[field];
    const problem =
      rule !== undefined && rule.apply(value, 0) === null ? `“${field}” takes ${rule.about}.` : null;
    return { text: match[0], field, value, problem };
  });
}

/** What to ask the server for; words that are wrong are left out. */
export const queryOf = (text: string, now: number): RowsQuery => readQuery(text, FIELDS, now);

/** The same for any fields. */
export function readQuery<Q extends object>(
  text: string,
  fields: Fields<Q>,
  now: number,
): Q & { text?: string } {
  const query = {} as Q;
  const plain: string[] = [];
  for (const word of readWords(text, fields)) {
    if (word.problem !== null) continue;
    if (word.field === null) plain.push(word.value);
    else Object.assign(query, fields[word.field]?.apply(word.value, now));
  }
  return plain.length === 0 ? query : { ...query, text: plain.join(" ") };
}

/** The filter without one of its words. */
export function without(text: string, word: Word): string {
  return wordsOf(text)
    .filter((other) => other.text !== word.text)
    .map((other) => other.text)
    .join(" ");
}

/** The same language for the review queue, which knows fewer fields. */
export function runFilterOf(text: string): { filter: RunFilter; unused: string[] } {
  const filter: RunFilter = {};
  const plain: string[] = [];
  const unused: string[] = [];
  for (const word of queueWords(text)) {
    if (word.field === null) plain.push(word.value);
    else if (word.field === "model") filter.model = word.value;
    else if (word.field === "signal") filter.signal = word.value;
    else if (word.field === "judged" && (word.value === "true" || word.value === "false"))
      filter.judged = word.value === "true";
    else unused.push(word.text);
  }
  if (plain.length > 0) filter.task = plain.join(" ");
  return { filter, unused };
}

function queueWords(text: string): { text: string; field: string | null; value: string }[] {
  const found = text.matchAll(/(?:([a-z_]+):)?(?:"([^"]*)"|(\S+))/g);
  return [...found].map((match) => ({
    text: match[0],
    field: match[1] ?? null,
    value: match[2] ?? match[3] ?? "",
  }));
}
