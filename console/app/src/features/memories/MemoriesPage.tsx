// The page Memories: the list of lessons, or the list of all situations.
import { useSearch } from "@tanstack/react-router";
import { LessonList } from "./LessonList";
import { SituationList } from "./SituationList";

export function MemoriesPage() {
  const { list } = useSearch({ from: "/p/$project/memories" });
  return list === "situations" ? <SituationList /> : <LessonList />;
}
