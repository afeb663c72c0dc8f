// A value with its confidence interval, compared to the value that means no effect.
import { scaleLinear } from "d3-scale";

export function Interval(props: {
  label: string;
  value: number;
  low: number;
  high: number;
  /**
   * The value that means no effect, if there is one. The result is significant if the interval does not contain
   * it.
   */
  nothing?: number;
  domain: readonly [number, number];
  /** The labels at the ends of the scale. */
  ends: readonly [string, string];
  width?: number;
  grey?: boolean;
}) {
  const width = props.width ?? 320;
  const x = scaleLinear()
    .domain([...props.domain])
    .range([8, width - 8])
    .clamp(true);
  const tone = props.grey === true ? "stroke-edge fill-edge" : "stroke-accent fill-accent";
  return (
    <svg
      role="img"
      aria-label={props.label}
      width={width}
      viewBox={`0 0 ${width} 34`}
      className="block max-w-full"
    >
      <line x1={8} x2={width - 8} y1={12} y2={12} className="stroke-line" />
      {props.nothing === undefined ? null : (
        <line
          x1={x(props.nothing)}
          x2={x(props.nothing)}
          y1={2}
          y2={22}
          className="stroke-soft"
          strokeDasharray="2 2"
        />
      )}
      <line x1={x(props.low)} x2={x(props.high)} y1={12} y2={12} strokeWidth={3} className={tone} />
      <circle cx={x(props.value)} cy={12} r={5} className={tone} />
      <g className="fill-soft text-xs" aria-hidden="true">
        <text x={8} y={32}>
          {props.ends[0]}
        </text>
        <text x={width - 8} y={32} textAnchor="end">
          {props.ends[1]}
        </text>
      </g>
    </svg>
  );
}
