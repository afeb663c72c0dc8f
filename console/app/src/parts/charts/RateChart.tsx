// The pass rate over time: a line with its confidence band, and the number of verdicts per point.
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { percent } from "../time";
import { Chart } from "./Chart";
import { type Bin, describeTrend, dayLabel, dayNumber, spanLabel } from "./rates";

const LEFT = 46;
const RIGHT = 8;
const COUNTS = 28;
const AXIS = 18;

export function RateChart(props: { bins: readonly Bin[]; height?: number }) {
  const { bins } = props;
  const height = props.height ?? 200;
  return (
    <Chart
      summary={describeTrend(bins)}
      height={height}
      table={{
        head: ["Days", "Reviewed runs", "Passed", "Pass rate", "95 of 100 cases"],
        rows: bins.map((bin) => [
          spanLabel(bin),
          String(bin.reviews),
          String(bin.passed),
          percent(bin.rate),
          `${percent(bin.low)} to ${percent(bin.high)}`,
        ]),
      }}
    >
      {(width) => <Drawing bins={bins} width={width} height={height} />}
    </Chart>
  );
}

function Drawing(props: { bins: readonly Bin[]; width: number; height: number }) {
  const { bins, width, height } = props;
  const bottom = height - AXIS - COUNTS;
  const middle = (bin: Bin) => (dayNumber(bin.from) + dayNumber(bin.to)) / 2;
  const [first, last] = [bins[0], bins.at(-1)];
  if (first === undefined || last === undefined) return null;
  const days = [dayNumber(first.from) - 0.5, dayNumber(last.to) + 0.5];
  const x = scaleLinear()
    .domain(days)
    .range([LEFT, width - RIGHT]);
  const y = scaleLinear().domain([0, 1]).range([bottom, 6]);
  const most = Math.max(...bins.map((bin) => bin.reviews));
  const n = scaleLinear()
    .domain([0, most])
    .range([0, COUNTS - 6]);
  const band = area<Bin>()
    .x((bin) => x(middle(bin)))
    .y0((bin) => y(bin.low))
    .y1((bin) => y(bin.high))([...bins]);
  const path = line<Bin>()
    .x((bin) => x(middle(bin)))
    .y((bin) => y(bin.rate))([...bins]);
  const base = height - AXIS;
  return (
    <g className="fill-soft text-xs">
      {[0, 0.5, 1].map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={LEFT - 6} y={y(tick)} dy="0.32em" textAnchor="end">
            {tick * 100} %
          </text>
        </g>
      ))}
      <path d={band ?? ""} className="fill-accent" opacity={0.18} />
      <path d={path ?? ""} className="fill-none stroke-accent" strokeWidth={1.5} />
      {bins.map((bin) => (
        <g key={bin.from}>
          <line
            x1={x(middle(bin))}
            x2={x(middle(bin))}
            y1={y(bin.low)}
            y2={y(bin.high)}
            className="stroke-accent"
          />
          <circle cx={x(middle(bin))} cy={y(bin.rate)} r={3} className="fill-accent">
            <title>{`${spanLabel(bin)}: ${percent(bin.rate)} of n = ${bin.reviews}`}</title>
          </circle>
          <rect
            x={x(dayNumber(bin.from) - 0.5) + 1}
            width={Math.max(2, x(dayNumber(bin.to) + 0.5) - x(dayNumber(bin.from) - 0.5) - 2)}
            y={base - n(bin.reviews)}
            height={n(bin.reviews)}
            className="fill-edge"
            opacity={0.6}
          />
        </g>
      ))}
      <text x={LEFT - 6} y={base - 4} textAnchor="end">
        n
      </text>
      <text x={LEFT} y={height - 4}>
        {dayLabel(first.from)}
      </text>
      {last.to === first.from ? null : (
        <text x={width - RIGHT} y={height - 4} textAnchor="end">
          {dayLabel(last.to)}
        </text>
      )}
    </g>
  );
}
