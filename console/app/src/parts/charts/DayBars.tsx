// Verdicts per day as thin bars; with fewer than three days, only the numbers.
import { scaleBand, scaleLinear } from "d3-scale";
import { t } from "../../texts";
import { dayLabel, number } from "../time";
import { Chart } from "./Chart";
import { type Day, everyDay, MIN_PERIODS, sum } from "./rates";

const LEFT = 46;
const RIGHT = 8;
const AXIS = 18;
const TOP = 6;
const BAR = 6;

export function DayBars(props: { days: readonly Day[]; height?: number }) {
  const { chart: texts } = t.parts;
  const height = props.height ?? 140;
  const days = everyDay(props.days);
  if (days.length < MIN_PERIODS) return <FewDays days={days} />;
  return (
    <Chart
      summary={describeDays(days)}
      height={height}
      table={{
        head: [texts.day, texts.reviewed, texts.passed, texts.failed],
        rows: days.map((day) => [
          day.day,
          String(day.reviews),
          String(day.passed),
          String(day.reviews - day.passed),
        ]),
      }}
      points={(width) => {
        const x = daysScale(days, width);
        return days.map((day) => ({
          x: (x(day.day) ?? 0) + x.bandwidth() / 2,
          text: texts.dayValue(dayLabel(day.day), day.reviews, day.passed),
        }));
      }}
    >
      {(width) => <Drawing days={days} width={width} height={height} />}
    </Chart>
  );
}

function FewDays({ days }: { days: readonly Day[] }) {
  const { chart: texts } = t.parts;
  const n = sum(days);
  const active = days.filter((day) => day.reviews > 0).length;
  return (
    <div>
      <p>{texts.reviewedRuns(<span className="metric">{number(n)}</span>, n)}</p>
      <p className="text-sm text-soft">{texts.fewDays(MIN_PERIODS, active)}</p>
    </div>
  );
}

function describeDays(days: readonly Day[]): string {
  const active = days.filter((day) => day.reviews > 0).length;
  const most = Math.max(0, ...days.map((day) => day.reviews));
  return t.parts.chart.daysSummary(sum(days), active, days.length, most);
}

function daysScale(days: readonly Day[], width: number) {
  return scaleBand<string>()
    .domain(days.map((day) => day.day))
    .range([LEFT, width - RIGHT]);
}

function Drawing(props: { days: readonly Day[]; width: number; height: number }) {
  const { days, width, height } = props;
  const bottom = height - AXIS;
  const x = daysScale(days, width);
  const most = Math.max(1, ...days.map((day) => day.reviews));
  const wide = Math.min(x.bandwidth() * 0.8, BAR);
  const y = scaleLinear().domain([0, most]).range([bottom, TOP]);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <g className="fill-soft text-xs">
      {[0, most].map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={LEFT - 6} y={y(tick)} dy="0.32em" textAnchor="end">
            {number(tick)}
          </text>
        </g>
      ))}
      {days.map((day) => (
        <rect
          key={day.day}
          x={(x(day.day) ?? 0) + (x.bandwidth() - wide) / 2}
          width={wide}
          y={y(day.reviews)}
          height={bottom - y(day.reviews)}
          className="fill-accent"
        />
      ))}
      <text x={LEFT} y={height - 4}>
        {first === undefined ? "" : dayLabel(first.day)}
      </text>
      <text x={width - RIGHT} y={height - 4} textAnchor="end">
        {last === undefined ? "" : dayLabel(last.day)}
      </text>
    </g>
  );
}
