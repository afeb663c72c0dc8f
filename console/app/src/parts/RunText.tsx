// A text of a run: clamped, expandable, as Markdown or as plain text.
import { lazy, Suspense, useState } from "react";
import { t } from "../texts";
import { clamp, PORTION, sizeLabel } from "./clamp";
import { shown } from "./reveal";

// The page preloads it together with its own code, so the layout does not shift later.
const Markdown = lazy(() => import("./Markdown"));

export function RunText(props: {
  text: string;
  markdown?: boolean;
  /** Natural language instead of program output: no fixed-width font. */
  words?: boolean;
  lines?: number;
  characters?: number;
  /** Loads more text after this one, for example the omitted rest of a part. */
  onAll?: () => void;
  size?: number;
}) {
  const [end, setEnd] = useState(0);
  const first = clamp(props.text, props.lines, props.characters);
  const text = end === 0 ? first.text : props.text.slice(0, end);
  const cut = text.length < props.text.length;
  const all = () => setEnd(Math.min(props.text.length, Math.max(end, first.text.length) + PORTION));
  const { runText: texts } = t.parts;
  const size = sizeLabel(props.size ?? props.text.length);
  return (
    <div className="min-w-0">
      {props.markdown === true ? (
        <Suspense fallback={<Raw text={text} words />}>
          <Markdown text={text} />
        </Suspense>
      ) : (
        <Raw text={text} words={props.words} />
      )}
      {cut ? (
        <button type="button" className="btn btn-small mt-1" onClick={all}>
          {props.text.length - text.length > PORTION ? texts.showMore(size) : texts.showAll(size)}
        </button>
      ) : props.onAll === undefined ? null : (
        <button type="button" className="btn btn-small mt-1" onClick={props.onAll}>
          {texts.loadRest(sizeLabel(props.size ?? 0))}
        </button>
      )}
    </div>
  );
}

function Raw(props: { text: string; words?: boolean | undefined }) {
  return (
    <pre dir="auto" className={props.words === true ? "words-run font-sans" : "plain-run"}>
      {shown(props.text)}
    </pre>
  );
}
