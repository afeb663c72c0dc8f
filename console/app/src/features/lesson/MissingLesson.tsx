// A lesson ends when its situations go to another lesson, for example when a split is undone. This opens that lesson.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { memoryQuery } from "../../api/memories";
import { notify } from "../../parts/notifications";
import { Empty, PageHead } from "../../shell/Page";
import { t } from "../../texts";

export function MissingLesson(props: {
  project: string;
  lesson: string;
  /** One of its situations. Without any, the id of the lesson, which is mostly that of its first situation. */
  memory: string;
}) {
  const { project } = props;
  const navigate = useNavigate();
  const { data, isFetching } = useQuery(memoryQuery(project, props.memory));
  // While it is fetched, the cached memory may still name the lesson that ended.
  const other = isFetching || data === undefined || data.lesson_id === props.lesson ? null : data.lesson_id;
  useEffect(() => {
    if (other === null) return;
    notify({ text: t.lesson.missing.moved });
    const to = { project, lesson: other };
    void navigate({ to: "/p/$project/lessons/$lesson", params: to, replace: true });
  }, [other, project, navigate]);
  return (
    <>
      <PageHead title={t.lesson.title} />
      {isFetching || other !== null ? null : (
        <Empty title={t.lesson.missing.title}>
          <p>{t.lesson.missing.about}</p>
          <Link className="btn" to="/p/$project/memories" params={{ project }}>
            {t.lesson.all}
          </Link>
        </Empty>
      )}
    </>
  );
}
