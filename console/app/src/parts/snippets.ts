// A first run in Python, in three styles. Each program runs as pasted.

export type Place = { url: string; key: string | null; project: string };
export const FORMS = ["Context manager", "Decorator", "Explicit"] as const;
export type Form = (typeof FORMS)[number];

/** The placeholder for a missing key. */
export const NO_KEY = "rf_live_…";
const TASK = "Refund order 1182, which arrived broken";

/** The install command of the package, for both tools. */
export const INSTALL = {
  pip: "pip install reflect-memory-client",
  uv: "uv pip install reflect-memory-client",
} as const;

/** The whole program. */
export function snippet(form: Form, place: Place): string {
  return `${head(form, place)}\n\n${AGENT}\n\n${BODY[form]}\n`;
}

const head = (form: Form, place: Place) => `${IMPORT[form]}

client = ReflectClient(
    base_url=${quoted(place.url)},
    api_key=${quoted(place.key ?? NO_KEY)},
    project_id=${quoted(place.project)},
)
`;

const IMPORT: Record<Form, string> = {
  "Context manager": "from reflect_sdk import ReflectClient",
  Decorator: "from reflect_sdk import ReflectClient, TraceContext, TraceResult, reflect_trace",
  Explicit: "from reflect_sdk import ReflectClient",
};

const AGENT = `def my_agent(prompt: str) -> str:  # your agent: any framework, any model
    return "I refunded 24.00 to the card that paid for it."
`;

const BODY: Record<Form, string> = {
  "Context manager": `with client.trace(${quoted(TASK)}) as run:
    answer = my_agent(run.augmented_task)  # the task, followed by lessons from earlier runs
    run.set_output(trajectory=[{"role": "assistant", "content": answer}])`,
  Decorator: `@reflect_trace(client, task=lambda task: task)
def support(run: TraceContext, task: str) -> TraceResult:
    answer = my_agent(run.augmented_task)  # the task, followed by lessons from earlier runs
    return TraceResult(output=answer, trajectory=[{"role": "assistant", "content": answer}])


support(${quoted(TASK)})`,
  Explicit: `task = ${quoted(TASK)}
augmented = client.augment_with_memories(task)  # the task, followed by lessons from earlier runs
answer = my_agent(augmented.augmented_task)
client.create_trace(
    task=task,
    trajectory=[{"role": "assistant", "content": answer}],
    retrieved_memory_ids=augmented.memory_ids,
)`,
};

/** A Python string literal. JSON string syntax is valid Python. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
