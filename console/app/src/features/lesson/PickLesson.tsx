// A dialog to find and choose a lesson.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Heading } from "react-aria-components";
import { errorMessage } from "../../api/errors";
import { type Lesson, lessonsFoundQuery } from "../../api/lessons";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";
import { LessonOptions } from "./LessonOptions";

export function PickLesson(props: {
  project: string;
  /** The lesson that cannot be chosen. */
  except: string;
  texts: { title: string; about: string; action: string };
  busy: boolean;
  error: Error | null;
  onPick: (lesson: Lesson) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, error } = useQuery({
    ...lessonsFoundQuery(props.project, useDeferredValue(text.trim())),
    placeholderData: keepPreviousData,
  });
  const lessons = data?.filter((lesson) => lesson.id !== props.except) ?? [];
  const lesson = lessons.find((one) => one.id === chosen);
  const failure = props.error ?? error;
  return (
    <Overlay label={props.texts.title} wide onClose={props.onClose}>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (lesson !== undefined && !props.busy) props.onPick(lesson);
        }}
      >
        <div className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4">
          <Heading slot="title" level={2} className="text-base font-semibold text-ink">
            {props.texts.title}
          </Heading>
          <p className="text-soft">{props.texts.about}</p>
          <label className="flex flex-col gap-0.5 text-xs font-semibold text-soft">
            {t.lesson.pick.search}
            <input
              type="search"
              className="field text-sm font-normal text-ink"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <fieldset className="flex min-h-40 flex-col gap-2">
            <legend className="pb-1 font-semibold">{t.lesson.pick.lesson}</legend>
            {data !== undefined && lessons.length === 0 ? (
              <p className="text-soft">{t.lesson.pick.none}</p>
            ) : null}
            <LessonOptions lessons={lessons} chosen={chosen} onChoose={setChosen} />
          </fieldset>
        </div>
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line p-3">
          <p role="alert" className="me-auto text-sm text-fail">
            {failure === null ? null : errorMessage(failure)}
          </p>
          <button type="button" className="btn" onClick={props.onClose}>
            {t.lesson.cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={lesson === undefined || props.busy}>
            {props.texts.action}
          </button>
        </footer>
      </form>
    </Overlay>
  );
}
