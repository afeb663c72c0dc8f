// The filter of memories, in the language of the filter bar: `status:active credit:<0.5 evidence:3 since:7d refund`.
import type { MemoriesQuery, MemorySelection, MemorySort, MemoryStatus } from "../../api/memories";
import {
  type Fields,
  moment,
  offersOf,
  readQuery,
  readWords,
  type Rule,
  UUID,
  type Word,
} from "../traces/filter";

const STATUSES: readonly MemoryStatus[] = [
  "active",
  "quarantined",
  "disabled",
  "deleted",
  "merged",
  "retired",
  "erased",
];
const ORIGINS = ["review", "authored", "offline", "manual", "import"] as const;

/** One or several of these words, between commas. */
const some = (values: readonly string[], name: "status" | "origin"): Rule<MemoriesQuery> => ({
  about: `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
  values,
  apply: (value) => (value.split(",").every((word) => values.includes(word)) ? { [name]: value } : null),
});

/** A number from 0 to 1 below or above which something must lie. */
const bound = (name: "utility" | "credit"): Rule<MemoriesQuery> => ({
  about: "such as <0.4 or >0.6",
  values: ["<0.4", ">0.6"],
  apply: (value) => {
    const read = /^([<>])((?:0|1)?(?:\.\d+)?)$/.exec(value);
    const number = read?.[2] === undefined || read[2] === "" ? Number.NaN : Number(read[2]);
    if (!(number >= 0 && number <= 1)) return null;
    return { [`${name}_${read?.[1] === "<" ? "below" : "above"}`]: number };
  },
});

const id = (name: "author_key_id" | "source_trace_id", about: string): Rule<MemoriesQuery> => ({
  about,
  apply: (value) => (UUID.test(value) ? { [name]: value } : null),
});

const when = (name: "created_after" | "created_before"): Rule<MemoriesQuery> => ({
  about: "such as 2h, 7d or 2026-11-01",
  apply: (value, now) => {
    const time = moment(value, now);
    return time === null ? null : { [name]: time };
  },
});

const FIELDS: Fields<MemoriesQuery> = {
  status: some(STATUSES, "status"),
  origin: some(ORIGINS, "origin"),
  pinned: {
    about: "true or false",
    values: ["true", "false"],
    apply: (value) => (value === "true" || value === "false" ? { pinned: value === "true" } : null),
  },
  utility: bound("utility"),
  credit: bound("credit"),
  evidence: {
    about: "how many reviews at least, such as 3",
    values: ["3"],
    apply: (value) => (/^\d{1,6}$/.test(value) ? { evidence_at_least: Number(value) } : null),
  },
  key: id("author_key_id", "the id of a key"),
  trace: id("source_trace_id", "the id of a trace"),
  since: when("created_after"),
  until: when("created_before"),
};

export const MEMORY_OFFERS = offersOf(FIELDS);
export const memoryWords = (text: string): Word[] => readWords(text, FIELDS);
export const memoriesQueryOf = (text: string, now: number): MemoriesQuery => readQuery(text, FIELDS, now);

/** The same question for a change in bulk, which takes lists as lists. */
export function selectionOf(query: MemoriesQuery): MemorySelection {
  const { status, origin, sort: _, ...rest } = query;
  return {
    ...rest,
    ...(status == null ? {} : { status: status.split(",") as MemorySelection["status"] }),
    ...(origin == null ? {} : { origin: origin.split(",") as MemorySelection["origin"] }),
  };
}

/** Orders, and how people call them. */
export const SORTS: Readonly<Record<MemorySort, string>> = {
  attention: "needs attention",
  harm: "most harmful",
  newest: "newest",
  utility: "highest utility",
  evidence: "most evidence",
};
export const USUAL_SORT: MemorySort = "newest";

type View = { name: string; q: string; sort: MemorySort };

/** Lists that people ask for again and again. */
export const VIEWS: readonly View[] = [
  { name: "All", q: "", sort: "newest" },
  { name: "Needs attention", q: "", sort: "attention" },
  // The order puts the worst first; the words leave out what only one of both numbers speaks against.
  { name: "Most harmful", q: "status:active utility:<0.5 credit:<0.5 evidence:1", sort: "harm" },
  { name: "In quarantine", q: "status:quarantined", sort: "newest" },
  { name: "Pinned", q: "pinned:true", sort: "newest" },
  { name: "Out of use", q: "status:disabled,deleted,merged,retired", sort: "newest" },
];
