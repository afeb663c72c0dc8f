// Is the loop turning? While a project is new, the way round it for the first time stands here instead.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { words } from "../../api/failure";
import { overviewQuery } from "../../api/queries";
import { keysQuery } from "../../api/settings";
import { Time } from "../../parts/time";
import { useMay } from "../../shell/may";
import { Empty, PageHead } from "../../shell/Page";
import { FirstRun } from "./FirstRun";
import { isNew, type Seen } from "./firstRun";
import { Loop } from "./Loop";
import { readSeen, remember } from "./remembered";

export function OverviewPage() {
  const { project } = useParams({ from: "/p/$project" });
  // Another project has another beginning.
  return <Overview key={project} project={project} />;
}

function Overview({ project }: { project: string }) {
  const { data, error } = useQuery(overviewQuery(project));
  const managesKeys = useMay("key:manage");
  const keys = useInfiniteQuery({ ...keysQuery(project), enabled: managesKeys });
  const [told, setTold] = useState(() => readSeen(project));
  const seen: Seen = {
    // A key for every project was not made for this one.
    hasKey:
      keys.data?.pages.some((page) => page.rows.some((key) => key.status === "active" && !key.is_master)) ??
      false,
    lookedAtUse: told.lookedAtUse,
  };
  const tell = (change: Partial<typeof told>) => setTold(remember(project, { ...told, ...change }));
  const dismiss = () => tell({ dismissed: true });
  if (error !== null) {
    return (
      <>
        <PageHead title="Overview" />
        <Empty title="The overview could not be read">
          <p className="text-fail">{words(error)}</p>
        </Empty>
      </>
    );
  }
  const ready = data !== undefined && (!managesKeys || keys.data !== undefined || keys.error !== null);
  const first = ready && !told.dismissed && isNew(data, seen);
  return (
    <>
      <PageHead
        title="Overview"
        about={
          !ready ? "" : first ? <OnlyWide>the way to the first memory</OnlyWide> : <AsOf at={data.as_of} />
        }
      >
        {first ? (
          <button type="button" className="btn btn-small btn-plain" onClick={dismiss}>
            Dismiss this list
          </button>
        ) : null}
      </PageHead>
      {!ready ? null : first ? (
        <FirstRun
          project={project}
          data={data}
          seen={seen}
          onLookedAtUse={() => tell({ lookedAtUse: true })}
          onDismiss={dismiss}
        />
      ) : (
        <Loop project={project} data={data} />
      )}
    </>
  );
}

function AsOf(props: { at: string }) {
  return (
    <>
      the last 7 days
      <OnlyWide>
        , as of <Time at={props.at} />
      </OnlyWide>
    </>
  );
}

/** What comes after the heading was painted must not need a second line, which would move all below it. */
function OnlyWide(props: { children: ReactNode }) {
  return <span className="max-sm:hidden">{props.children}</span>;
}
