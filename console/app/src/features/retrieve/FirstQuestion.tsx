// What to ask while nothing was asked: tasks of runs that are there.
import { useInfiniteQuery } from "@tanstack/react-query";
import { rowsQuery } from "../../api/queries";
import { shown } from "../../parts/reveal";
import { Empty } from "../../shell/Page";

const HOW_MANY = 3;

export function FirstQuestion(props: { project: string; onAsk: (task: string) => void }) {
  const { data } = useInfiniteQuery(rowsQuery(props.project, {}));
  const rows = data?.pages[0]?.rows ?? [];
  const tasks = [...new Set(rows.map((row) => row.task).filter((task) => task !== ""))].slice(0, HOW_MANY);
  return (
    <Empty title="What would an agent be shown?">
      <p>
        Write a task, and see which memories are served for it, what was left out and why, and the text that
        would go into the prompt.
      </p>
      {data === undefined ? null : tasks.length === 0 ? (
        <p className="text-soft">No run has been stored yet, so there is no task to offer.</p>
      ) : (
        <>
          <h3 className="text-xs font-semibold text-soft">Tasks of the newest runs</h3>
          <ul className="flex w-full flex-col gap-1.5">
            {tasks.map((task) => (
              <li key={task}>
                <button
                  type="button"
                  className="btn h-auto w-full justify-start whitespace-normal py-1.5 text-start"
                  onClick={() => props.onAsk(task)}
                >
                  {shown(task)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Empty>
  );
}
