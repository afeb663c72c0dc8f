// What to do while there is no trace at all.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Empty } from "../../shell/Page";

const FORMS = {
  "Context manager": (url: string, project: string) => `from reflect_sdk import ReflectClient

client = ReflectClient(base_url="${url}", api_key="…", project_id=${JSON.stringify(project)})
with client.trace("What the agent is asked to do") as run:
    answer = my_agent(run.augmented_task)
    run.set_output(trajectory=[{"role": "assistant", "content": answer}])`,
  Decorator: (url: string, project: string) => `from reflect_sdk import ReflectClient, reflect_trace

client = ReflectClient(base_url="${url}", api_key="…", project_id=${JSON.stringify(project)})

@reflect_trace(client)
def my_agent(task: str) -> str:
    ...`,
  Explicit: (url: string, project: string) => `from reflect_sdk import ReflectClient

client = ReflectClient(base_url="${url}", api_key="…", project_id=${JSON.stringify(project)})
client.create_trace(task="What the agent was asked", trajectory=[{"role": "assistant", "content": "Done."}])`,
} as const;

export function FirstTrace(props: { project: string }) {
  const [form, setForm] = useState<keyof typeof FORMS>("Context manager");
  const code = FORMS[form](location.origin, props.project);
  return (
    <Empty title="No run has been stored yet">
      <p>Run this with a key of the project. The page shows the run when it arrives.</p>
      <fieldset className="flex">
        <legend className="sr-only">Form</legend>
        {(Object.keys(FORMS) as (keyof typeof FORMS)[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={form === name}
            className={`btn btn-small ${form === name ? "bg-accent-tint font-semibold" : ""}`}
            onClick={() => setForm(name)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <pre className="plain-run card w-full p-3">{code}</pre>
      <p className="flex gap-2">
        <button type="button" className="btn" onClick={() => void navigator.clipboard.writeText(code)}>
          Copy
        </button>
        <Link
          className="btn"
          to={"/p/$project/settings" as "/p/$project"}
          params={{ project: props.project }}
        >
          Make a key
        </Link>
      </p>
    </Empty>
  );
}
