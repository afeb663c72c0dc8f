// The non-empty fields of a lesson.
import type { StoredMemory } from "../../api/memories";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { filledFields } from "./lesson";

type Lesson = Pick<
  StoredMemory,
  "summary" | "guidance" | "key_mistake" | "correct_action" | "applicable_tools" | "reflection"
>;

export function LessonText(props: {
  lesson: Lesson;
  /** A text that the page shows elsewhere, for example as its heading. */
  except?: string;
}) {
  const { lesson } = props;
  const { fields, lesson: lessonTitle, textMissing, tools } = t.memories;
  const isEmpty = filledFields(lesson).length === 0;
  const filled = filledFields(lesson, props.except);
  const isReflectionShown = isEmpty && lesson.reflection.trim() !== props.except;
  return (
    <>
      {filled.map((field) => (
        <section key={field.name}>
          <h2>{fields[field.name]}</h2>
          <RunText text={lesson[field.name]} lines={20} words />
        </section>
      ))}
      {isReflectionShown ? (
        <section>
          <h2>{lessonTitle}</h2>
          {lesson.reflection.trim() === "" ? (
            <p className="text-soft">{textMissing}</p>
          ) : (
            <RunText text={lesson.reflection} lines={20} words />
          )}
        </section>
      ) : null}
      {lesson.applicable_tools.length === 0 ? null : (
        <section>
          <h2>{tools}</h2>
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
