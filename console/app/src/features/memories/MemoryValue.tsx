// The value of a memory that is known only by its id.
import { useQuery } from "@tanstack/react-query";
import { memoryQuery } from "../../api/memories";
import { LessonValue } from "../../parts/LessonValue";

export function MemoryValue(props: { project: string; id: string; row?: boolean }) {
  const { data } = useQuery(memoryQuery(props.project, props.id));
  return (
    <div className="min-h-4.5 w-full min-w-0">
      {data === undefined ? null : <LessonValue of={data} {...(props.row === true ? { row: true } : {})} />}
    </div>
  );
}
