// Groups several lessons into one. The user chooses whose text is kept.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Heading } from "react-aria-components";
import { errorMessage } from "../../api/errors";
import { groupLessons, type Lesson } from "../../api/lessons";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";
import { LessonOptions } from "../lesson/LessonOptions";
import { useMemoryActions } from "./useMemoryActions";

export function GroupSheet(props: {
  project: string;
  /** At least two. */
  lessons: readonly Lesson[];
  onClose: (done: boolean) => void;
}) {
  const { project, lessons } = props;
  const { group: texts, cancel } = t.memories;
  const actions = useMemoryActions(project);
  const largest = lessons.toSorted((one, other) => other.situations - one.situations)[0];
  const [kept, setKept] = useState(largest?.id ?? "");
  const group = useMutation({
    mutationFn: () =>
      groupLessons(
        project,
        kept,
        lessons.map((lesson) => lesson.id).filter((id) => id !== kept),
      ),
    onSuccess: (done) => {
      actions.reportDone(t.memories.done.group(lessons.length), done, null, "lessons");
      props.onClose(true);
    },
  });
  return (
    <Overlay label={texts.label} wide onClose={() => props.onClose(false)}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          group.mutate();
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <Heading slot="title" level={2} className="text-base font-semibold text-ink">
            {texts.title(lessons.length)}
          </Heading>
          <p className="text-soft">{texts.about}</p>
          <fieldset className="flex flex-col gap-2">
            <legend className="pb-1 font-semibold">{texts.which}</legend>
            <LessonOptions lessons={lessons} chosen={kept} onChoose={setKept} />
          </fieldset>
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
          <p role="alert" className="me-auto text-sm text-fail">
            {group.error === null ? null : errorMessage(group.error)}
          </p>
          <button type="button" className="btn" onClick={() => props.onClose(false)}>
            {cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={group.isPending}>
            {texts.submit}
          </button>
        </footer>
      </form>
    </Overlay>
  );
}
