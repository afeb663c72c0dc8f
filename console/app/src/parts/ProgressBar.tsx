// A progress bar.

export function ProgressBar(props: { label: string; value: number; of: number }) {
  const share = props.of === 0 ? 0 : Math.min(1, props.value / props.of);
  return (
    <div
      role="progressbar"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={props.of}
      aria-valuenow={props.value}
      className="h-2 w-full max-w-md overflow-hidden rounded border border-edge bg-sunken"
    >
      <div className="h-full bg-accent" style={{ width: `${share * 100}%` }} />
    </div>
  );
}
