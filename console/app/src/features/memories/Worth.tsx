// What a memory is worth, and how sure that is.

/** A number between 0 and 1 with how many reviews it rests on. */
export function WithN(props: { value: number; n: number }) {
  return (
    <>
      {props.value.toFixed(2)} <span className="text-xs text-soft">n {props.n.toLocaleString()}</span>
    </>
  );
}

const WIDTH = 56;

/** Where the credit lies and where the truth may lie, on a line from 0 to 1 with 0.5 marked. */
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

export const intervalWords = (interval: readonly number[]) =>
  `${(interval[0] ?? 0).toFixed(2)} to ${(interval[1] ?? 1).toFixed(2)} in 95 of 100 cases`;
