// One part of a step: text, JSON, a table, a diff, an image.
import { useState } from "react";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { Part, StepKind } from "../../api/types";
import { JsonTree } from "../../parts/JsonTree";
import { safePicture } from "../../parts/links";
import { PORTION, sizeLabel } from "../../parts/clamp";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { cells, detectFormat, MAX_ROWS } from "./detect-format";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";

const PROSE = new Set<StepKind>(["assistant", "user", "reasoning", "note"]);

type Place = { project: string; trace: string; kind: StepKind };

export function PartView(props: Place & { part: Part }) {
  const { part } = props;
  return (
    <div className="min-w-0">
      {part.label == null ? null : <p className="text-xs font-semibold text-soft">{labelOf(part.label)}</p>}
      {part.text == null ? (
        <LongPart {...props} />
      ) : (
        <WholePart part={part} text={part.text} kind={props.kind} />
      )}
    </div>
  );
}

function labelOf(label: string): string {
  const known: Readonly<Record<string, string>> = t.trace.part.labels;
  return known[label] ?? shown(label);
}

function WholePart(props: { part: Part; text: string; kind: StepKind }) {
  const { part, text } = props;
  if (part.form === "media") return <Media part={part} text={text} />;
  const found = detectFormat(text);
  if (found.form === "json")
    return (
      <JsonTree
        value={found.value}
        label={part.label == null ? t.trace.part.json : labelOf(part.label)}
        searchable={text.length > 2000}
      />
    );
  if (found.form === "diff") return <DiffLines text={text} />;
  if (found.form === "table" && !PROSE.has(props.kind)) return <Table text={text} />;
  return <RunText text={text} markdown={PROSE.has(props.kind) && found.form === "text"} />;
}

function Media(props: { part: Part; text: string }) {
  if (safePicture(props.text))
    return <img src={props.text} alt={t.trace.part.picture} className="max-h-80 max-w-full" />;
  return (
    <span className="chip">
      {t.trace.part.media(props.part.media_type ?? null, sizeLabel(props.part.size))}
    </span>
  );
}

/** A part of which the server omitted the middle. */
function LongPart(props: Place & { part: Part }) {
  const { part } = props;
  const texts = t.trace.part;
  const [read, setRead] = useState<{ text: string; to: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const more = async () => {
    const from = read?.to ?? 0;
    try {
      const response = await body(
        api.GET("/v1/projects/{project_id}/traces/{trace_id}/parts/{part}", {
          params: {
            path: { project_id: props.project, trace_id: props.trace, part: part.n },
            query: { from, to: Math.min(part.size, from + PORTION) },
          },
        }),
      );
      setRead({ text: (read?.text ?? "") + response.text, to: response.to });
      setProblem(null);
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
  };
  const text = read?.text ?? part.head ?? "";
  const left = part.size - (read?.to ?? new TextEncoder().encode(text).length);
  return (
    <div>
      <RunText
        text={text}
        characters={read === null ? undefined : text.length}
        lines={read === null ? undefined : text.length}
        size={part.size}
      />
      {left > 0 ? (
        <p className="my-1 flex items-center gap-2 border-y border-dashed border-line py-1 text-xs text-soft">
          {(read === null ? texts.hidden : texts.following)(sizeLabel(left), sizeLabel(part.size))}
          <button type="button" className="btn btn-small" onClick={() => void more()}>
            {left > PORTION ? texts.showNext(sizeLabel(PORTION)) : texts.showAll}
          </button>
        </p>
      ) : null}
      {problem === null ? null : <p className="text-fail">{problem}</p>}
      {left > 0 && read === null && part.tail != null ? <RunText text={part.tail} /> : null}
    </div>
  );
}

const LINE_TONE: Record<string, string> = {
  "+": "bg-pass-tint text-pass",
  "-": "bg-fail-tint text-fail",
  "@": "text-soft",
};
const MAX_LINES = 400;

function DiffLines(props: { text: string }) {
  const lines = props.text.split("\n");
  return (
    <pre className="plain-run">
      {lines.slice(0, MAX_LINES).map((line, index) => (
        // Lines have no id except their number.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={LINE_TONE[line.charAt(0)]}>
          {shown(line) || " "}
        </div>
      ))}
      {lines.length > MAX_LINES ? (
        <div className="text-soft">{t.trace.part.moreLines(lines.length - MAX_LINES)}</div>
      ) : null}
    </pre>
  );
}

function Table(props: { text: string }) {
  const { rows, cut } = cells(props.text);
  const [head, ...others] = rows;
  return (
    <Scroll className="max-h-96 overflow-auto" label={t.trace.part.table}>
      <table className="text-xs">
        <thead>
          <tr>
            {head?.map((cell, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <th key={index} scope="col" className="border border-line bg-sunken px-1.5 text-start">
                {shown(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {others.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={at}>
              {row.map((cell, index) => (
                // oxlint-disable-next-line react/no-array-index-key
                <td key={index} className="border border-line px-1.5">
                  {shown(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {cut ? <p className="text-xs text-soft">{t.trace.part.firstRows(MAX_ROWS)}</p> : null}
    </Scroll>
  );
}
