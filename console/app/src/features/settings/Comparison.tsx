// The difference between the results of the old and the new space.
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";

export function Comparison(props: {
  data: Schemas["EmbeddingComparison"];
  onThreshold: (value: number) => void;
}) {
  const { data } = props;
  const texts = t.settings.embedding.comparison;
  const suggested = data.suggested_similarity_threshold;
  return (
    <div className="card flex flex-col gap-2 p-3">
      <h3 className="font-semibold">{texts.title(data.questions)}</h3>
      <ul className="list-disc ps-5">
        <li>{texts.overlap(data.overlap)}</li>
        <li>{texts.sameFirst(data.same_first)}</li>
        <li>{texts.rankChange(data.rank_change)}</li>
        <li>{texts.results(data.from, data.to)}</li>
      </ul>
      {suggested == null ? null : (
        <p>
          {texts.suggested(suggested)}{" "}
          <button type="button" className="btn btn-small" onClick={() => props.onThreshold(suggested)}>
            {texts.use}
          </button>
        </p>
      )}
      {data.most_changed.length === 0 ? null : (
        <details>
          <summary>{texts.mostChanged(data.most_changed.length)}</summary>
          <ul>
            {data.most_changed.map((question) => (
              <li
                key={question.retrieval_id}
                className="flex justify-between gap-4 border-b border-line py-1"
              >
                <span className="min-w-0 truncate" title={shown(question.task)}>
                  {shown(question.task)}
                </span>
                <span className="shrink-0 text-sm text-soft">
                  {texts.changed(question.overlap, question.rank_change)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
