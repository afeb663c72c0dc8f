// The non-empty fields of a lesson.
import type { StoredMemory } from "../../api/memories";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { LESSON_FIELDS } from "./lesson";

type Lesson = Pick<
  StoredMemory,
  "summary" | "guidance" | "key_mistake" | "correct_action" | "applicable_tools" | "reflection"
>;

export function LessonText(props: { lesson: Lesson }) {
  const { lesson } = props;
  const filled = LESSON_FIELDS.filter((field) => lesson[field.name].trim() !== "");
  return (
    <>
      {filled.map((field) => (
        <section key={field.name}>
          <h2>{field.label}</h2>
          <RunText text={lesson[field.name]} lines={20} words />
        </section>
      ))}
      {filled.length > 0 ? null : (
        <section>
          <h2>Lesson</h2>
          {lesson.reflection.trim() === "" ? (
            <p className="text-soft">No text.</p>
          ) : (
            <RunText text={lesson.reflection} lines={20} words />
          )}
        </section>
      )}
      {lesson.applicable_tools.length === 0 ? null : (
        <section>
          <h2>Tools and areas</h2>
          <p className="flex flex-wrap gap-1">
            {lesson.applicable_tools.map((tool) => (
              <span key={tool} className="chip">
                {shown(tool)}
              </span>
            ))}
          </p>
        </section>
      )}
    </>
  );
}
