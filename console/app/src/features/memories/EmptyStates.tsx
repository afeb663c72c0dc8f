// Empty states of the list: no memories yet, or no match.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queueQuery } from "../../api/queries";
import { Empty } from "../../shell/Page";
import { FilterChips } from "../../parts/FilterBar";
import { t } from "../../texts";

export function NoMemoriesYet(props: { project: string }) {
  const { data: queue } = useQuery(queueQuery(props.project));
  const pending = queue?.pending ?? 0;
  const { empty: texts } = t.memories;
  return (
    <Empty title={texts.title}>
      <p>{texts.about}</p>
      <p className="flex gap-2">
        {pending > 0 ? (
          <Link className="btn btn-primary" to="/p/$project/review" params={{ project: props.project }}>
            {texts.review(pending)}
          </Link>
        ) : (
          <Link className="btn" to="/p/$project/traces" params={{ project: props.project }}>
            {texts.send}
          </Link>
        )}
      </p>
    </Empty>
  );
}

export function NoMatches(props: { what: "lesson" | "memory"; q: string; onChange: (q: string) => void }) {
  const { empty: texts } = t.memories;
  return (
    <Empty title={texts.noMatch[props.what]}>
      <FilterChips value={props.q} onChange={props.onChange} error={null} />
      <p>
        <button type="button" className="btn" onClick={() => props.onChange("")}>
          {texts.clear}
        </button>
      </p>
    </Empty>
  );
}
