// Where a memory came from: run, review, key, model, and who released it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { historyQuery, type MemoryDetail } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { ORIGIN_LABELS } from "../memories/labels";
import { Block, Fact, Facts } from "./Block";
import { activeReleases } from "./releases";

export function Provenance(props: { project: string; memory: MemoryDetail; onSource: () => void }) {
  const { project, memory } = props;
  const from = memory.provenance;
  const { data: history } = useQuery(historyQuery(project, memory.id));
  const vouched = activeReleases(history?.steps ?? []);
  return (
    <Block title="Source">
      <Facts>
        <Fact name="Text">{ORIGIN_LABELS[memory.origin]}</Fact>
        {memory.note == null ? null : <Fact name="Note">{shown(memory.note)}</Fact>}
        <Fact name="Run">
          {from.trace_id == null ? (
            "none, or no longer stored"
          ) : (
            <Link className="link" to="/p/$project/traces/$trace" params={{ project, trace: from.trace_id }}>
              {shown(from.trace_task ?? from.trace_id)}
            </Link>
          )}
        </Fact>
        {from.reviewer == null ? null : (
          <Fact name="Review">
            <Outcome result={from.result} /> {shown(from.reviewer)}{" "}
            {from.reviewed_at == null ? null : <Time at={from.reviewed_at} />}
            {from.review_live === false ? <span className="text-fail"> no longer counts</span> : null}
          </Fact>
        )}
        {from.feedback_text ? (
          <Fact name="Feedback">
            <RunText text={from.feedback_text} lines={6} words />
          </Fact>
        ) : null}
        <Fact name="Model">
          {from.model == null ? "none" : shown(from.model)}
          {from.prompt_version == null ? null : `, prompt version ${from.prompt_version}`}
        </Fact>
        <Fact name="Key">
          {from.key_id == null ? (
            "none"
          ) : (
            <>
              {from.key_label == null ? "not a key of this project" : shown(from.key_label)}
              {from.key_public_id == null ? "" : ` (${from.key_public_id})`}
            </>
          )}
          , {from.trust}
        </Fact>
        <Fact name="Released by">
          {vouched.length === 0
            ? memory.quarantined
              ? "not released yet"
              : "not needed"
            : vouched.map((one) => (
                <span key={`${one.actor} ${one.at}`} className="block">
                  {shown(one.actor)}, <Time at={one.at} />
                </span>
              ))}
        </Fact>
        <Fact name="Created">
          <Time at={memory.created_at} />
        </Fact>
        <Fact name="Id">
          <code className="text-xs">{memory.id}</code>
        </Fact>
      </Facts>
      {memory.author_key_id == null && memory.source_trace_id == null ? null : (
        <button type="button" className="btn btn-small self-start" onClick={props.onSource}>
          Remove everything from this source
        </button>
      )}
    </Block>
  );
}
