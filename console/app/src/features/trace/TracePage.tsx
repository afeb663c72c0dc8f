// The page of one trace.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { traceQuery } from "../../api/queries";
import { useScreenKeys } from "../../keys/KeyProvider";
import { clamp } from "../../parts/clamp";
import { shown } from "../../parts/reveal";
import type { View } from "./view";
import { ErrorPage } from "../../shell/ErrorPage";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { traceKeys } from "./keys";
import { Replay, type ReplayHandle } from "./Replay";
import { TraceSidebar } from "./TraceSidebar";

const ROUTE = "/p/$project/traces/$trace";

export function TracePage() {
  const { project, trace } = useParams({ from: ROUTE });
  const { step, view = "conversation" } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const router = useRouter();
  const replay = useRef<ReplayHandle>(null);
  const { data, error, refetch } = useQuery(traceQuery(project, trace));
  const showView = (next: View) =>
    void navigate({ search: (now) => ({ ...now, view: next }), replace: true });
  useScreenKeys(traceKeys(), {
    "step-back": () => replay.current?.move(-1),
    "step-on": () => replay.current?.move(1),
    "first-step": () => replay.current?.goTo(0),
    "last-step": () => replay.current?.last(),
    "next-error": () => replay.current?.nextError(),
    play: () => replay.current?.play(),
    find: () => replay.current?.find(),
    conversation: () => showView("conversation"),
    steps: () => showView("steps"),
    raw: () => showView("raw"),
    cancel: () => {
      const active = document.activeElement;
      if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) active.blur();
      else router.history.back();
    },
  });
  if (error !== null) return <ErrorPage error={error} reset={() => void refetch()} />;
  return (
    <>
      <PageHead
        title={t.trace.title}
        about={
          <span className="line-clamp-2 max-w-[70ch] text-ink [overflow-wrap:anywhere]">
            {data === undefined ? "" : shown(clamp(data.task, 2, 300).text)}
          </span>
        }
      >
        <Link className="btn btn-small" to="/p/$project/traces" params={{ project }} search={{}}>
          {t.trace.allTraces}
        </Link>
      </PageHead>
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <Replay
          project={project}
          trace={trace}
          view={view}
          onView={showView}
          at={(step ?? 1) - 1}
          onMove={(to) =>
            void navigate({
              search: (now) => ({ ...now, step: to((now.step ?? 1) - 1) + 1 }),
              replace: true,
            })
          }
          handle={replay}
        />
        <TraceSidebar project={project} trace={trace} />
      </div>
    </>
  );
}
