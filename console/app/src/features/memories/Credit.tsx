// Shows the utility or the credit of a memory, and how certain the value is.

/** A utility or credit (0 to 1), and `n`, the number of reviews that it is based on. */
export function ValueWithCount(props: { value: number; n: number }) {
  return (
    <>
      {props.value.toFixed(2)} <span className="text-xs text-soft">n {props.n.toLocaleString()}</span>
    </>
  );
}

/** The width of the line in pixels. */
const WIDTH = 56;

/**
 * The credit and its confidence interval on a line from 0 to 1. A mark shows 0.5, which means "no effect".
 * The interval has the colour of pass or fail if it does not contain 0.5.
 */
export function CreditBar(props: { credit: number; interval: readonly number[] }) {
  const [low = 0, high = 1] = props.interval;
  const fill = low > 0.5 ? "var(--pass)" : high < 0.5 ? "var(--fail)" : "var(--edge)";
  return (
    <svg width={WIDTH} height={12} aria-hidden="true" className="inline-block shrink-0 align-middle">
      <line x1={0} x2={WIDTH} y1={6} y2={6} stroke="var(--line)" />
      <line x1={WIDTH / 2} x2={WIDTH / 2} y1={1} y2={11} stroke="var(--line)" />
      <rect
        x={low * WIDTH}
        width={Math.max(1, (high - low) * WIDTH)}
        y={4.5}
        height={3}
        fill={fill}
        rx={1.5}
      />
      <rect x={props.credit * WIDTH - 1.5} width={3} y={1.5} height={9} fill="var(--ink)" rx={1} />
    </svg>
  );
}

export const describeInterval = (interval: readonly number[]) =>
  `95% interval ${(interval[0] ?? 0).toFixed(2)} to ${(interval[1] ?? 1).toFixed(2)}`;
