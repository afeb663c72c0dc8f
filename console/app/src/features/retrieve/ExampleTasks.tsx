// Example tasks from stored runs, shown before the first query.
import { useInfiniteQuery } from "@tanstack/react-query";
import { rowsQuery } from "../../api/queries";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { Empty } from "../../shell/Page";

const MAX_TASKS = 3;

export function ExampleTasks(props: { project: string; onAsk: (task: string) => void }) {
  const { data } = useInfiniteQuery(rowsQuery(props.project, ""));
  const rows = data?.pages[0]?.rows ?? [];
  const tasks = [...new Set(rows.map((row) => row.task).filter((task) => task !== ""))].slice(0, MAX_TASKS);
  const texts = t.retrieve.examples;
  return (
    <Empty title={texts.title}>
      <p>{texts.about}</p>
      {data === undefined ? null : tasks.length === 0 ? (
        <p className="text-soft">{texts.none}</p>
      ) : (
        <>
          <h3 className="text-xs font-semibold text-soft">{texts.newest}</h3>
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
