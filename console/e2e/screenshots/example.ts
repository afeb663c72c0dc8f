// Example data for screenshots: a support desk and the runs of its agent. The agent is simulated: it solves a
// kind of task if it receives the lesson about it, and otherwise at random. Everything else is real: the server
// retrieves the lessons, and the reviews change them.
import { readFileSync } from "node:fs";
import type { Project } from "../support/project";

type Kind = {
  topic: string;
  tasks: string[];
  tool: string;
  arguments: object;
  result: string;
  wrong: string;
  right: string;
  feedback: string;
  lesson: string;
};

const KINDS = JSON.parse(readFileSync(new URL("support-cases.json", import.meta.url), "utf8")) as Kind[];
const ROUNDS = 5;
/** The last runs stay pending. */
const WAITING = 9;
const LUCK = 0.4;
const OBEYS = 0.9;

export async function example(project: Project): Promise<{ trace: string; memory: string }> {
  await project.call("PATCH", "", { holdout_rate: 0.2 });
  const draw = lots(7);
  const runs = Array.from({ length: ROUNDS }, (_, round) => shuffled(all(round), draw)).flat();
  let trace = "";
  for (const [at, { kind, task }] of runs.entries()) {
    const asked = await project.ask({ task, limit: 3 });
    const knows = asked.memories.some((memory) => memory.task.length > 0 && isAbout(memory.task, kind));
    const passes = draw() < (knows ? OBEYS : LUCK);
    const isWaiting = at >= runs.length - WAITING;
    const id = await project.send({
      task,
      model: at % 3 === 0 ? "small-1" : "large-2",
      final_response: passes ? kind.right : kind.wrong,
      retrieval_id: asked.receipt,
      trajectory: conversation(kind, task, passes),
      metadata: {
        topic: kind.topic,
        latency_ms: 900 + Math.round(draw() * 4_000),
        tokens: 400 + Math.round(draw() * 900),
      },
      ...(isWaiting
        ? {}
        : {
            review: passes
              ? { result: "pass" }
              : { result: "fail", feedback_text: kind.feedback, reflection: { summary: kind.lesson } },
          }),
    });
    if (isWaiting) trace = id;
  }
  const [memory] = await project.call<{ id: string }[]>("GET", "/memories?sort=evidence&limit=1");
  if (memory === undefined) throw new Error("the example created no memory");
  return { trace, memory: memory.id };
}

const all = (round: number) =>
  KINDS.flatMap((kind) =>
    kind.tasks.map((task) => ({
      kind,
      task: round === 0 ? task : task.replace(/\d{2,}/, (n) => `${Number(n) + 7 * round}`),
    })),
  );

const isAbout = (task: string, kind: Kind) => {
  const plain = (text: string) => text.replaceAll(/\d+/g, "");
  return kind.tasks.some((one) => plain(one) === plain(task));
};

function conversation(kind: Kind, task: string, passes: boolean) {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: kind.tool, arguments: JSON.stringify(kind.arguments) },
  };
  return [
    {
      role: "system",
      content: "You are the support desk of a shop. Use the tools. Tell the customer what was done.",
    },
    { role: "user", content: task },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", name: kind.tool, content: kind.result },
    { role: "assistant", content: passes ? kind.right : kind.wrong },
  ];
}

/** A seeded random generator, for the same data every time. */
function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(things: T[], draw: () => number): T[] {
  return things
    .map((thing) => ({ thing, lot: draw() }))
    .toSorted((a, b) => a.lot - b.lot)
    .map(({ thing }) => thing);
}
