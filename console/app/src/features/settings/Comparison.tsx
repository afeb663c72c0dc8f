// The difference between the results of the old and the new space.
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { percent } from "../../parts/time";

export function Comparison(props: {
  data: Schemas["EmbeddingComparison"];
  onThreshold: (value: number) => void;
}) {
  const { data } = props;
  const suggested = data.suggested_similarity_threshold;
  return (
    <div className="card flex flex-col gap-2 p-3">
      <h3 className="font-semibold">The same n = {data.questions.toLocaleString()} queries in both spaces</h3>
      <ul className="list-disc ps-5">
        <li>{percent(data.overlap)} of the memories are the same, on average.</li>
        <li>{percent(data.same_first)} of the queries return the same first memory.</li>
        <li>A memory changes its rank by {data.rank_change.toFixed(1)} places, on average.</li>
        <li>
          The old space returns memories for {data.from.questions.toLocaleString()} queries (
          {data.from.memories.toLocaleString()} in total, threshold{" "}
          {data.from.similarity_threshold.toFixed(2)}
          ), the new space for {data.to.questions.toLocaleString()} ({data.to.memories.toLocaleString()},
          threshold {data.to.similarity_threshold.toFixed(2)}).
        </li>
      </ul>
      {suggested == null ? null : (
        <p>
          With a threshold of {suggested.toFixed(3)} the new space returns as large a share as the old one.{" "}
          <button type="button" className="btn btn-small" onClick={() => props.onThreshold(suggested)}>
            Use it
          </button>
        </p>
      )}
      {data.most_changed.length === 0 ? null : (
        <details>
          <summary>Queries with the largest changes ({data.most_changed.length})</summary>
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
                  {percent(question.overlap)} the same, {question.rank_change.toFixed(1)} places
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
