// The signals about a run: what other systems reported, and what each means for its review.
import { useQuery } from "@tanstack/react-query";
import { errorMessage } from "../../api/errors";
import { traceSignalsQuery } from "../../api/queries";
import type { Review, TraceSignal } from "../../api/types";
import { safeLink } from "../../parts/links";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { sourceName } from "../../parts/reviewer";
import { RunText } from "../../parts/RunText";
import { fixed, Time } from "../../parts/time";
import { t } from "../../texts";
import { meaningOf } from "./signal-meaning";

export function Signals(props: { project: string; trace: string; review: Review | null }) {
  const { data, error } = useQuery(traceSignalsQuery(props.project, props.trace));
  const texts = t.trace.signals;
  if (error !== null) return <p className="text-fail">{errorMessage(error)}</p>;
  if (data === undefined) return null;
  if (data.withheld > 0) return <p className="text-sm text-soft">{texts.withheld(data.withheld)}</p>;
  if (data.signals.length === 0) return <p className="text-sm text-soft">{texts.none}</p>;
  return (
    <ul className="flex flex-col gap-2">
      {data.signals.map((signal) => (
        <li key={signal.id} className="flex min-w-0 flex-col gap-0.5">
          <SignalRow signal={signal} review={props.review} />
        </li>
      ))}
    </ul>
  );
}

function SignalRow({ signal, review }: { signal: TraceSignal; review: Review | null }) {
  const texts = t.trace.signals;
  const link = safeLink(signal.url ?? undefined, texts.more);
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        {signal.result == null ? null : <Outcome result={signal.result} />}
        <span className="font-semibold break-all">{sourceName(signal.source)}</span>
        {signal.score == null ? null : (
          <span className="chip text-soft">{texts.score(fixed(signal.score))}</span>
        )}
        <span className="text-sm text-soft">
          <Time at={signal.occurred_at} />
        </span>
      </p>
      <p className="text-sm">{meaningText(signal, review)}</p>
      {signal.comment == null || signal.comment === "" ? null : (
        <RunText text={signal.comment} lines={4} words />
      )}
      <p className="flex flex-wrap gap-x-2 text-sm text-soft">
        {signal.by_feedback_token ? <span>{texts.vote}</span> : null}
        {signal.key == null ? null : (
          <span className="break-all">{texts.found(shown(signal.key.name), shown(signal.key.value))}</span>
        )}
        {link === null ? null : (
          <a className="link break-all" href={link.href} target="_blank" rel="noopener noreferrer nofollow">
            {texts.more}
            {link.host === null ? "" : ` (${link.host})`}
          </a>
        )}
      </p>
    </>
  );
}

function meaningText(signal: TraceSignal, review: Review | null) {
  const texts = t.trace.signals;
  const meaning = meaningOf(signal, review);
  if (meaning !== "waits") return texts.meanings[meaning];
  return signal.waits_until == null ? texts.meanings.next : texts.waits(<Time at={signal.waits_until} />);
}
