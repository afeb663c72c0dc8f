import type { ReactNode } from "react";
import { counted, percent } from "../../../parts/time";

const VERDICTS = { pass: "Pass", fail: "Fail", unclear: "Unclear" };

export const testJudge = {
  title: "Try it",
  about: "Sends one run to the model and shows its verdict. No review is stored.",
  noModel: (provider: ReactNode, model: ReactNode) => (
    <>
      This server has no language model, so the judge cannot run. The operator sets one with {provider} and{" "}
      {model}.
    </>
  ),
  run: "Run",
  runHint: "One of the newest runs.",
  noRuns: "No run is stored yet.",
  criteria: "Other criteria",
  criteriaHint: "Leave it empty to use the saved ones.",
  submit: "Run the judge",
  result: (verdict: keyof typeof VERDICTS, confidence: number | null, model: string, tokens: number) => (
    <>
      <strong>{VERDICTS[verdict]}</strong>
      {confidence === null ? "" : `, confidence ${percent(confidence)}`} · {model} ·{" "}
      {counted(tokens, "token", "tokens")}
    </>
  ),
};
