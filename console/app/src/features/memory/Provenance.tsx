// Where a memory came from: run, review, key, model, and who released it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { historyQuery, type MemoryDetail } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { reviewerName } from "../../parts/reviewer";
import { RunText } from "../../parts/RunText";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { LESSON_FIELDS } from "../memories/lesson";
import { Block, Fact, Facts } from "./Block";
import { activeReleases } from "./releases";

type ImportedFrom = NonNullable<MemoryDetail["provenance"]["imported"]>;

export function Provenance(props: { project: string; memory: MemoryDetail }) {
  const { project, memory } = props;
  const { provenance: texts } = t.memory;
  const from = memory.provenance;
  const { data: history } = useQuery(historyQuery(project, memory.id));
  const vouched = activeReleases(history?.steps ?? []);
  const { feedback_text: feedback } = from;
  // Without a model, the feedback is the lesson, which is on this page already.
  const isFeedbackShown = feedback != null && feedback !== "" && !isPartOf(memory, feedback);
  return (
    <Block title={texts.title}>
      <Facts>
        <Fact name={texts.text}>{t.memories.origin[memory.origin]}</Fact>
        {memory.note == null ? null : <Fact name={texts.note}>{shown(memory.note)}</Fact>}
        {from.imported == null ? null : (
          <Fact name={texts.imported}>{shown(importedFrom(from.imported))}</Fact>
        )}
        <Fact name={texts.run}>
          {from.trace_id == null ? (
            texts.noRun
          ) : (
            <Link className="link" to="/p/$project/traces/$trace" params={{ project, trace: from.trace_id }}>
              {from.trace_task == null || from.trace_task === memory.task
                ? texts.openRun
                : shown(from.trace_task)}
            </Link>
          )}
        </Fact>
        {from.reviewer == null ? null : (
          <Fact name={texts.review}>
            {from.result == null
              ? reviewerName(from.reviewer)
              : texts.reviewed[from.result](reviewerName(from.reviewer))}{" "}
            {from.reviewed_at == null ? null : <Time at={from.reviewed_at} />}
            {from.review_live === false ? <span className="text-fail"> {texts.ended}</span> : null}
          </Fact>
        )}
        {isFeedbackShown ? (
          <Fact name={texts.feedback}>
            <RunText text={feedback} lines={6} words />
          </Fact>
        ) : null}
        <Fact name={texts.model}>
          {from.model == null ? texts.noModel : shown(from.model)}
          {from.prompt_version == null ? null : `, ${texts.promptVersion(from.prompt_version)}`}
        </Fact>
        <Fact name={texts.key}>
          {from.key_id == null ? (
            texts.noKey
          ) : (
            <>
              {from.key_label == null ? texts.otherKey : shown(from.key_label)}
              {from.key_public_id == null ? "" : ` (${from.key_public_id})`}
            </>
          )}
          , {t.memories.trust[from.trust]}
        </Fact>
        <Fact name={texts.releasedBy}>
          {vouched.length === 0
            ? memory.quarantined
              ? texts.notReleased
              : texts.noReleaseNeeded
            : vouched.map((one) => (
                <span key={`${one.actor} ${one.at}`} className="block">
                  {shown(one.actor)}, <Time at={one.at} />
                </span>
              ))}
        </Fact>
        <Fact name={texts.created}>
          <Time at={memory.created_at} />
        </Fact>
        <Fact name={texts.id}>
          <code className="text-xs">{memory.id}</code>
        </Fact>
      </Facts>
    </Block>
  );
}

/** File, line and id of an imported item, and the importer. */
const importedFrom = ({ file, line, item, importer }: ImportedFrom): string => {
  const place = file == null ? null : `${file}${line == null ? "" : `:${line}`}`;
  return [place, item, importer].filter((part) => part != null && part !== "").join(", ");
};

/** Whether the text of a memory contains a text. */
const isPartOf = (memory: MemoryDetail, text: string): boolean =>
  [memory.reflection, ...LESSON_FIELDS.map(({ name }) => memory[name])].some((field) =>
    field.includes(text.trim()),
  );
