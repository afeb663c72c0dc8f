// The pass rate over time: a line with its confidence band, and the number of verdicts as thin bars.
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { t } from "../../texts";
import { dayLabel, percent } from "../time";
import { Chart } from "./Chart";
import { type Bin, describeTrend, dayNumber, passRateText, spanLabel } from "./rates";

const LEFT = 46;
const RIGHT = 8;
const COUNTS = 28;
const AXIS = 18;
const BAR = 3;

export function RateChart(props: { bins: readonly Bin[]; height?: number }) {
  const { bins } = props;
  const { chart: texts } = t.parts;
  const height = props.height ?? 200;
  return (
    <Chart
      summary={describeTrend(bins)}
      height={height}
      table={{
        head: [texts.days, texts.reviewed, texts.passed, texts.rate, texts.interval],
        rows: bins.map((bin) => [
          spanLabel(bin),
          String(bin.reviews),
          String(bin.passed),
          percent(bin.rate),
          texts.range(percent(bin.low), percent(bin.high)),
        ]),
      }}
      points={(width) => {
        const x = daysScale(bins, width);
        return bins.map((bin) => ({
          x: x(middle(bin)),
          text: texts.at(spanLabel(bin), passRateText(bin.passed, bin.reviews)),
        }));
      }}
    >
      {(width) => <Drawing bins={bins} width={width} height={height} />}
    </Chart>
  );
}

const middle = (bin: Bin) => (dayNumber(bin.from) + dayNumber(bin.to)) / 2;

function daysScale(bins: readonly Bin[], width: number) {
  const [first, last] = [bins[0], bins.at(-1)];
  const from = first === undefined ? 0 : dayNumber(first.from) - 0.5;
  const to = last === undefined ? 1 : dayNumber(last.to) + 0.5;
  return scaleLinear()
    .domain([from, to])
    .range([LEFT, width - RIGHT]);
}

function Drawing(props: { bins: readonly Bin[]; width: number; height: number }) {
  const { bins, width, height } = props;
  const bottom = height - AXIS - COUNTS;
  const [first, last] = [bins[0], bins.at(-1)];
  if (first === undefined || last === undefined) return null;
  const x = daysScale(bins, width);
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
            {percent(tick)}
          </text>
        </g>
      ))}
      <path d={band ?? ""} className="fill-accent" opacity={0.18} />
      <path d={path ?? ""} className="fill-none stroke-accent" strokeWidth={2} />
      {bins.map((bin) => (
        <g key={bin.from} transform={`translate(${x(middle(bin))},0)`}>
          <circle cy={y(bin.rate)} r={3} className="fill-accent" />
          <rect
            x={-BAR / 2}
            width={BAR}
            y={base - n(bin.reviews)}
            height={n(bin.reviews)}
            className="fill-edge"
          />
        </g>
      ))}
      <text x={LEFT - 6} y={base - 4} textAnchor="end">
        {t.parts.chart.runs}
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
