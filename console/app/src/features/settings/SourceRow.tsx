// One source of signals: its rule, how often it agreed with people, and a form to change the rule.
import { useId, useState } from "react";
import type { Schemas } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { sourceName } from "../../parts/reviewer";
import { percent } from "../../parts/time";
import { t } from "../../texts";
import { SourceForm } from "./SourceForm";

type Source = Schemas["SourceValue"];

export function SourceRow(props: { project: string; source: Source; isSet: boolean; canEdit: boolean }) {
  const { source } = props;
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const texts = t.settings.signals;
  const name = sourceName(source.source);
  return (
    <li className="card flex flex-col gap-2 p-3" aria-labelledby={id}>
      <div className="flex flex-wrap items-center gap-2">
        <h3 id={id} className="font-semibold break-all">
          {name}
        </h3>
        {name === source.source ? null : <code className="text-xs">{source.source}</code>}
        {source.rule.counts ? null : <span className="chip">{texts.notCounted}</span>}
        {source.stopped ? <span className="chip bg-warn-tint text-warn">{texts.stopped}</span> : null}
        {props.canEdit ? (
          <button
            type="button"
            className="btn btn-small ms-auto"
            aria-expanded={isOpen}
            aria-label={texts.changeRule(name)}
            onClick={() => setIsOpen(!isOpen)}
          >
            {texts.change}
          </button>
        ) : null}
      </div>
      <p className="text-sm">{texts.rule(source.rule)}</p>
      <Agreement source={source} name={name} />
      <p className="text-sm text-soft">{texts.lastWeek(source.last_week)}</p>
      {isOpen ? (
        <SourceForm
          project={props.project}
          source={source.source}
          rule={source.rule}
          isSet={props.isSet}
          onDone={() => setIsOpen(false)}
        />
      ) : null}
    </li>
  );
}

/** How often the source and people agreed on runs that both judged independently. */
function Agreement({ source, name }: { source: Source; name: string }) {
  const { agreement: has, interval } = source;
  const texts = t.settings.signals;
  if (has.pairs === 0 || interval == null) {
    return (
      <p className="text-sm text-soft">
        {texts.unknown} {texts.learningRate(has.step)}
      </p>
    );
  }
  const [low = 0, high = 1] = interval;
  const share = percent(has.agreed / has.pairs);
  const sample = t.parts.chart.sample(
    has.agreed,
    has.pairs,
    `${percent(low).replace(" %", "")}–${percent(high)}`,
  );
  return (
    <div className="flex flex-col gap-1">
      <p>{texts.agreement(share, sample)}</p>
      <Interval
        label={texts.chart(name, share, sample)}
        value={has.agreed / has.pairs}
        low={low}
        high={high}
        domain={[0, 1]}
        ends={[percent(0), percent(1)]}
      />
      <p className="text-sm">{texts.learningRate(has.step)}</p>
      <details className="text-sm text-soft">
        <summary>{texts.details}</summary>
        <p>{texts.right(has)}</p>
      </details>
    </div>
  );
}
