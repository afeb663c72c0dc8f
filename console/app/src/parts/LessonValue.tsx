// The value of a lesson as a bar with words. The numbers behind it are in a panel that is closed at first.
import { t } from "../texts";
import { detailsOf, type Effect, type Numbers, valueOf } from "./lesson-value";

const FILL: Readonly<Record<Effect, string>> = {
  helps: "bg-pass",
  harms: "bg-fail",
  none: "bg-edge",
  unknown: "bg-edge",
};
const TONE: Readonly<Record<Effect, string>> = {
  helps: "text-pass",
  harms: "text-fail",
  none: "text-soft",
  unknown: "text-soft",
};

/** The bar is the share of passed runs. In a row of a list, the words are cut and there are no details. */
export function LessonValue(props: { of: Numbers; row?: boolean }) {
  const { effect, words } = valueOf(props.of);
  const share = props.of.reviews === 0 ? 0 : props.of.passes / props.of.reviews;
  const bar = (
    <span className="flex min-w-0 items-center gap-2 text-sm">
      <span
        aria-hidden="true"
        className="h-1.5 w-12 shrink-0 overflow-hidden rounded-full bg-line forced-colors:border"
      >
        <span className={`block h-full ${FILL[effect]}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span
        className={`${TONE[effect]} ${props.row === true ? "truncate" : ""}`}
        title={props.row === true ? words : undefined}
      >
        {words}
      </span>
    </span>
  );
  return props.row === true ? (
    bar
  ) : (
    <div className="flex min-w-0 flex-col gap-1">
      {bar}
      <ValueDetails of={props.of} />
    </div>
  );
}

function ValueDetails(props: { of: Numbers }) {
  const { value: texts } = t.parts;
  return (
    <details className="text-sm text-soft">
      <summary className="leading-6 max-md:py-2">
        {texts.details}
        <span className="sr-only"> {texts.detailsOf}</span>
      </summary>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 py-1">
        {detailsOf(props.of).map(({ name, text }) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt>{name}</dt>
            <dd className="text-ink">{text}</dd>
          </div>
        ))}
      </dl>
      <p className="max-w-prose text-xs">{texts.explanation}</p>
    </details>
  );
}
