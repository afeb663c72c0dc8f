import { counted } from "../../../parts/time";

export const judge = {
  title: "Judge",
  states: {
    off: "Off",
    no_model: "No model",
    judging: "On",
    stopped: "Stopped: it agrees with people too rarely",
    spent: "Paused until 00:00 UTC: token limit reached",
  },
  changeOrTest: "change or test the judge",
  status: "Status",
  modelAndTokens: (model: string | null, tokens: number) =>
    `Model: ${model ?? "none on this server"} · ${counted(tokens, "token", "tokens")} today (UTC)`,
  form: {
    title: "Settings",
    about:
      "A model reviews runs that no person has reviewed. The less it agrees with people, the less its reviews count. Your own review always replaces it.",
    enabled: "Let the judge review runs",
    criteria: "Criteria",
    criteriaHint:
      "When does a run pass? Leave it empty to judge by the task alone. New criteria restart the comparison with people.",
    sample: {
      name: "Share of runs",
      label: "Share of runs, in percent",
      hint: "How many of the pending runs the judge reviews.",
    },
    blind: {
      name: "Hidden verdicts",
      label: "Hidden verdicts, in percent",
      hint: "How many of its verdicts stay hidden until a person has reviewed the run. They measure the agreement.",
    },
    tokens: {
      name: "Tokens",
      label: "Tokens per day",
      hint: "Leave it empty to use the limit of the project.",
    },
    delay: {
      name: "Delay",
      label: "Delay in seconds",
      hint: "The judge waits this long, so that a person or a program can review first.",
    },
  },
};
