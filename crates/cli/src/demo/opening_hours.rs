//! When the example support desk works: twelve hours on weekdays (UTC), with fewer customers at weekends.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, Utc, Weekday};

/// How many days the desk has been open.
pub(super) const DAYS: i64 = 21;
const OPENS: TimeDelta = TimeDelta::hours(7);
const CLOSES: TimeDelta = TimeDelta::hours(19);
/// How many customers ask at weekends, compared with a weekday.
const WEEKEND: f64 = 0.3;

/// The opening hours of the last three weeks.
#[derive(Debug, Clone)]
pub(super) struct OpeningHours(Vec<Shift>);

/// The opening hours of one day.
#[derive(Debug, Clone, Copy)]
struct Shift {
    from: DateTime<Utc>,
    /// Its length in milliseconds.
    length: f64,
    /// How many customers ask, compared with a weekday.
    demand: f64,
}

impl OpeningHours {
    /// The hours of the days before `now`. The last shift ends a minute before, so nothing happens in the future.
    pub(super) fn until(now: DateTime<Utc>) -> Self {
        let (start, end) = (now - TimeDelta::days(DAYS), now - TimeDelta::minutes(1));
        let days = start.date_naive().iter_days().take_while(|day| *day <= end.date_naive());
        Self(days.filter_map(|day| Shift::on(day, start, end)).collect())
    }

    /// When this share of all customers has asked, 0 to 1.
    pub(super) fn at(&self, share: f64) -> DateTime<Utc> {
        let total: f64 = self.0.iter().map(Shift::work).sum();
        let mut left = share.clamp(0.0, 1.0) * total;
        for shift in &self.0 {
            if left <= shift.work() {
                return shift.from + TimeDelta::milliseconds((left / shift.demand) as i64);
            }
            left -= shift.work();
        }
        self.0.last().map_or(DateTime::UNIX_EPOCH, Shift::end)
    }
}

impl Shift {
    /// The shift of a day between two times, if there is one.
    fn on(day: NaiveDate, start: DateTime<Utc>, end: DateTime<Utc>) -> Option<Self> {
        let midnight = day.and_time(NaiveTime::MIN).and_utc();
        let (from, to) = ((midnight + OPENS).max(start), (midnight + CLOSES).min(end));
        let is_weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun);
        let demand = if is_weekend { WEEKEND } else { 1.0 };
        (from < to).then(|| Self { from, length: (to - from).num_milliseconds() as f64, demand })
    }

    fn work(&self) -> f64 {
        self.length * self.demand
    }

    fn end(&self) -> DateTime<Utc> {
        self.from + TimeDelta::milliseconds(self.length as i64)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Timelike;

    use super::*;

    fn now(day: i64, hour: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000, 0).unwrap() + TimeDelta::hours(24 * day + hour)
    }

    #[test]
    fn all_times_are_in_the_opening_hours_of_the_last_three_weeks_and_in_order() {
        for (day, hour) in (0..7).flat_map(|day| (0..24).map(move |hour| (day, hour))) {
            let now = now(day, hour);
            let hours = OpeningHours::until(now);
            let times: Vec<DateTime<Utc>> = (0..=500).map(|part| hours.at(f64::from(part) / 500.0)).collect();

            assert!(times.is_sorted());
            assert!(times[0] >= now - TimeDelta::days(DAYS) && times[500] < now, "{now}");
            assert!(times.iter().all(|at| (7..=19).contains(&at.hour())), "{now}");
            assert!(times[500] - times[0] > TimeDelta::hours(24 * DAYS - 30), "{now}");
        }
    }

    #[test]
    fn a_weekend_has_fewer_customers_than_two_weekdays() {
        let hours = OpeningHours::until(now(0, 0));
        let days: Vec<Weekday> = (0..1000).map(|part| hours.at(f64::from(part) / 1000.0).weekday()).collect();
        let on = |day| days.iter().filter(|one| **one == day).count();
        assert!(on(Weekday::Sat) + on(Weekday::Sun) < on(Weekday::Tue), "{days:?}");
    }
}
