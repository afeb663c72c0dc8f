// The pass rate: a chart if there are enough periods, else one number and what is missing.
import { t } from "../../texts";
import { percent } from "../time";
import { RateChart } from "./RateChart";
import { bins, type Day, MIN_PERIODS, MIN_REVIEWS, sampleText, sum } from "./rates";

export function PassRate(props: { days: readonly Day[]; height?: number }) {
  const { chart: texts } = t.parts;
  const made = bins(props.days);
  if (made.length >= MIN_PERIODS) return <RateChart {...props} bins={made} />;
  const reviews = sum(props.days);
  if (reviews === 0) return <p className="text-soft">{texts.noReviews}</p>;
  const passed = props.days.reduce((total, day) => total + day.passed, 0);
  return (
    <div>
      <p>
        {texts.passRateNode(
          <span className="metric">{percent(passed / reviews)}</span>,
          <span className="text-soft">({sampleText(passed, reviews)})</span>,
        )}
      </p>
      <p className="text-sm text-soft">{texts.fewPeriods(MIN_PERIODS, MIN_REVIEWS, made.length)}</p>
    </div>
  );
}
