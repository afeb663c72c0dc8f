// The rule of a source of signals in a form.
import type { Schemas } from "../../api/types";
import { t } from "../../texts";
import { asDecimal, readDecimal } from "./numbers";

export type Rule = Schemas["SourceRule"];
type Change = Schemas["SourceSettings"];

export type Draft = {
  counts: boolean;
  waitPass: string;
  waitFail: string;
  precedence: string;
  passFrom: string;
  failBelow: string;
};
export type NumberField = Exclude<keyof Draft, "counts">;

const HOUR = 3_600;
const MAX_HOURS = 30 * 24;
const MAX_PRECEDENCE = 100;
const NAME = /^[a-z][a-z0-9_.-]{0,39}$/;

/** Whether a text is the name of a source. */
export const isSourceName = (text: string) => NAME.test(text);

/** The form values of a rule. Waiting times are in hours. */
export function draftOf(rule: Rule): Draft {
  return {
    counts: rule.counts,
    waitPass: asDecimal(rule.wait_pass_seconds / HOUR),
    waitFail: asDecimal(rule.wait_fail_seconds / HOUR),
    precedence: asDecimal(rule.precedence),
    passFrom: asDecimal(rule.pass_from),
    failBelow: asDecimal(rule.fail_below),
  };
}

/** What the form changes, without the fields that it does not change; or what is wrong with it. */
export function changeOf(
  rule: Rule,
  draft: Draft,
): { change: Change; fault: null } | { change: null; fault: string } {
  const texts = t.settings.signals.form;
  const stored = draftOf(rule);
  const change: Change = draft.counts === rule.counts ? {} : { counts: draft.counts };
  const read = (field: NumberField, most: number) => readDecimal(draft[field], texts[field].name, 0, most);
  const fields = {
    waitPass: read("waitPass", MAX_HOURS),
    waitFail: read("waitFail", MAX_HOURS),
    precedence: read("precedence", MAX_PRECEDENCE),
    passFrom: read("passFrom", 1),
    failBelow: read("failBelow", 1),
  };
  for (const [name, { value, fault }] of Object.entries(fields)) {
    const field = name as NumberField;
    if (fault !== null) return { change: null, fault };
    if (draft[field] === stored[field]) continue;
    if (field === "precedence" && !Number.isInteger(value)) {
      return { change: null, fault: texts.wholePrecedence };
    }
    Object.assign(change, changed(field, value));
  }
  const passFrom = change.pass_from ?? rule.pass_from;
  const failBelow = change.fail_below ?? rule.fail_below;
  return failBelow > passFrom ? { change: null, fault: texts.order } : { change, fault: null };
}

function changed(field: NumberField, value: number): Change {
  switch (field) {
    case "waitPass":
      return { wait_pass_seconds: Math.round(value * HOUR) };
    case "waitFail":
      return { wait_fail_seconds: Math.round(value * HOUR) };
    case "precedence":
      return { precedence: value };
    case "passFrom":
      return { pass_from: value };
    case "failBelow":
      return { fail_below: value };
  }
}
