// The last changes of the grouping of a lesson, by people and by the server, each with undo.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { errorMessage } from "../../api/errors";
import { allActionsQuery, type LessonDetail } from "../../api/lessons";
import { undoAction } from "../../api/memories";
import { notify } from "../../parts/notifications";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { Block } from "../memory/Block";
import { describeChange, isAbout } from "./change-text";

const MOST = 10;

export function Changes(props: { project: string; lesson: LessonDetail; canUndo: boolean }) {
  const { project, lesson } = props;
  const { changes: texts } = t.lesson;
  const client = useQueryClient();
  const { data, error } = useQuery(allActionsQuery(project));
  const undo = useMutation({
    mutationFn: (action: string) => undoAction(project, action),
    onSuccess: () => notify({ text: texts.undone }),
    onError: (thrown) => notify({ text: errorMessage(thrown), tone: "bad" }),
    onSettled: () => client.invalidateQueries({ queryKey: [project] }),
  });
  const ids = [lesson.id, ...lesson.memories.map((memory) => memory.id)];
  const changes = (data ?? []).filter((action) => isAbout(action, ids)).slice(0, MOST);
  return (
    <Block title={texts.title} about={texts.about}>
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data !== undefined && changes.length === 0 ? <p className="text-sm text-soft">{texts.none}</p> : null}
      <ul>
        {changes.map((action) => {
          const change = describeChange(action);
          const made = action.undone_at == null ? texts.made : texts.madeAndUndone;
          return (
            <li
              key={action.id}
              className="flex items-start gap-2 border-t border-line py-1.5 first:border-t-0"
            >
              <div className="min-w-0 flex-1 text-sm">
                <p>
                  {change.text}{" "}
                  {change.trace === null ? null : (
                    <Link
                      className="link"
                      to="/p/$project/traces/$trace"
                      params={{ project, trace: change.trace }}
                    >
                      {texts.openRun}
                    </Link>
                  )}
                </p>
                <p className="text-xs text-soft">
                  {made(
                    action.actor === "server" ? texts.automatic : shown(action.actor),
                    <Time at={action.created_at} />,
                  )}
                </p>
              </div>
              {action.undone_at == null && props.canUndo ? (
                <button
                  type="button"
                  className="btn btn-small"
                  disabled={undo.isPending}
                  onClick={() => undo.mutate(action.id)}
                >
                  {texts.undo}
                  <span className="sr-only">: {change.text}</span>
                </button>
              ) : null}
            </li>
          );
        })}
      </ul>
    </Block>
  );
}
