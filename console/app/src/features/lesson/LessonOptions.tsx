// Lessons of which one is chosen.
import type { Lesson } from "../../api/lessons";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { oneLine } from "../memories/labels";

export function LessonOptions(props: {
  lessons: readonly Lesson[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  return props.lessons.map((lesson) => (
    <label key={lesson.id} className="flex gap-2">
      <input
        type="radio"
        name="lesson"
        className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
        checked={lesson.id === props.chosen}
        onChange={() => props.onChoose(lesson.id)}
      />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {shown(oneLine(lesson))}{" "}
        <span className="text-sm text-soft">{t.lesson.situationCount(lesson.situations)}</span>
      </span>
    </label>
  ));
}
