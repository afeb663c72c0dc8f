// Verdicts per day: passes below, fails above, distinguished by a pattern too.
import { scaleBand, scaleLinear } from "d3-scale";
import { Chart } from "./Chart";
import { type Day, dayLabel, everyDay, sum } from "./rates";

const LEFT = 46;
const RIGHT = 8;
const AXIS = 18;
const TOP = 6;

export function DayBars(props: { days: readonly Day[]; height?: number }) {
  const height = props.height ?? 140;
  const days = everyDay(props.days);
  const total = sum(days);
  const idle = days.filter((day) => day.reviews === 0).length;
  const summary = `${total.toLocaleString()} verdicts on ${days.length - idle} of ${days.length} days, at most ${Math.max(0, ...days.map((day) => day.reviews))} on one day. Filled bars are passes, striped bars are fails.`;
  return (
    <Chart
      summary={summary}
      height={height}
      table={{
        head: ["Day (UTC)", "Verdicts", "Passes", "Fails"],
        rows: days.map((day) => [
          day.day,
          String(day.reviews),
          String(day.passed),
          String(day.reviews - day.passed),
        ]),
      }}
    >
      {(width) => <Drawing days={days} width={width} height={height} />}
    </Chart>
  );
}

function Drawing(props: { days: readonly Day[]; width: number; height: number }) {
  const { days, width, height } = props;
  const bottom = height - AXIS;
  const x = scaleBand<string>()
    .domain(days.map((day) => day.day))
    .range([LEFT, width - RIGHT])
    .paddingInner(0.2)
    .paddingOuter(0);
  const most = Math.max(1, ...days.map((day) => day.reviews));
  const wide = Math.min(x.bandwidth(), 32);
  const y = scaleLinear().domain([0, most]).range([bottom, TOP]);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <g className="fill-soft text-xs">
      <defs>
        <pattern id="fails" width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={5} height={5} className="fill-fail-tint" />
          <rect width={2} height={5} className="fill-fail" />
        </pattern>
      </defs>
      {[0, most].map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={LEFT - 6} y={y(tick)} dy="0.32em" textAnchor="end">
            {tick}
          </text>
        </g>
      ))}
      {days.map((day) => (
        <g key={day.day} transform={`translate(${(x(day.day) ?? 0) + (x.bandwidth() - wide) / 2},0)`}>
          <title>{`${dayLabel(day.day)}: ${day.passed} passes, ${day.reviews - day.passed} fails`}</title>
          <rect width={wide} y={y(day.passed)} height={bottom - y(day.passed)} className="fill-pass" />
          <rect width={wide} y={y(day.reviews)} height={y(day.passed) - y(day.reviews)} fill="url(#fails)" />
        </g>
      ))}
      <text
        x={days.length === 1 ? (LEFT + width - RIGHT) / 2 : LEFT}
        y={height - 4}
        textAnchor={days.length === 1 ? "middle" : "start"}
      >
        {first === undefined ? "" : dayLabel(first.day)}
      </text>
      {days.length < 2 || last === undefined ? null : (
        <text x={width - RIGHT} y={height - 4} textAnchor="end">
          {dayLabel(last.day)}
        </text>
      )}
    </g>
  );
}
