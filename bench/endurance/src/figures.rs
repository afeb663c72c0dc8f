//! Figures of an installation, one value per simulated day, and the rule that decides whether a figure grows.

use std::collections::BTreeMap;
use std::fmt;

/// With fewer days, too much of the run is warm-up.
pub(crate) const ENOUGH_DAYS: usize = 12;

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Memory of a process, in bytes.
    Memory,
    /// File descriptors, or connections.
    Handles,
    /// Partitions.
    Partitions,
    /// Rows.
    Rows,
    /// Rows that wait for vacuum.
    DeadRows,
    /// The size of a table, of its indexes, or of the catalogue, in bytes.
    Size,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) value: f64,
    /// What the value may be proportional to: the rows of a table that keeps its rows. Otherwise 1.
    pub(crate) per: f64,
}

/// A value of one day.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reading {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) point: Point,
}

/// All figures by their name, with the values of the days.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures(BTreeMap<String, (Kind, Vec<Point>)>);

/// A figure in the second and in the last quarter of the days.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) name: String,
    pub(crate) early: f64,
    pub(crate) late: f64,
    pub(crate) grows: bool,
    /// Whether it is larger than noise.
    pub(crate) is_large: bool,
}

impl Kind {
    /// By which part the last quarter may be above the second quarter, and how much more is noise.
    const fn tolerance(self) -> (f64, f64) {
        match self {
            // The allocator keeps pages for a while after a peak.
            Self::Memory => (0.10, 16.0 * 1024.0 * 1024.0),
            // Pools open connections when they are busy, and close them after minutes.
            Self::Handles => (0.0, 6.0),
            // The last partition of a day is created, and the oldest dropped, by the same cycle.
            Self::Partitions => (0.0, 6.0),
            // The clients choose at random what they do.
            Self::Rows => (0.15, 300.0),
            // Vacuum begins at 50 rows and a fifth of the rows of each partition.
            Self::DeadRows => (0.25, 1_000.0),
            // Each partition and index has pages that are partly used.
            Self::Size => (0.15, 768.0 * 1024.0),
        }
    }
}

impl Reading {
    /// A value that must not grow.
    pub(crate) fn flat(name: impl Into<String>, kind: Kind, value: f64) -> Self {
        Self { name: name.into(), kind, point: Point { value, per: 1.0 } }
    }

    /// A value that may grow with a number of rows.
    pub(crate) fn per(name: impl Into<String>, kind: Kind, value: f64, rows: f64) -> Self {
        Self { name: name.into(), kind, point: Point { value, per: rows } }
    }
}

impl Figures {
    pub(crate) fn record(&mut self, readings: Vec<Reading>) {
        for Reading { name, kind, point } in readings {
            self.0.entry(name).or_insert_with(|| (kind, Vec::new())).1.push(point);
        }
    }

    /// Compares the last quarter of the days with the second. The first quarter is warm-up: retention and caches have reached
    /// their limits after it. `None` if there are too few days.
    pub(crate) fn compare(&self) -> Option<Vec<Comparison>> {
        let days = self.0.values().map(|(_, points)| points.len()).max().unwrap_or(0);
        let compared = self.0.iter().filter(|(_, (_, points))| points.len() == days);
        (days >= ENOUGH_DAYS)
            .then(|| compared.map(|(name, (kind, points))| compare(name, *kind, points)).collect())
    }
}

fn compare(name: &str, kind: Kind, points: &[Point]) -> Comparison {
    let days = points.len();
    let (second, last) = (&points[days / 4..days / 2], &points[days * 3 / 4..]);
    let (early, late) = (median(second.iter().map(ratio)), median(last.iter().map(ratio)));
    let (share, noise) = kind.tolerance();
    let rows = median(last.iter().map(|point| point.per));
    let excess = (late - early * (1.0 + share)) * rows;
    let (grows, is_large) = (excess > noise, late * rows > noise);
    Comparison { name: name.to_owned(), early, late, grows, is_large }
}

fn ratio(point: &Point) -> f64 {
    if point.per > 0.0 { point.value / point.per } else { 0.0 }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        length if length.is_multiple_of(2) => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, early, late, grows, .. } = self;
        // Dead rows per row are small numbers.
        let places = if *early < 100.0 { 2 } else { 0 };
        write!(f, "{name}: {early:.places$} in the second quarter, {late:.places$} in the last")?;
        if *grows { f.write_str(": GROWS") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: f64 = 1024.0 * 1024.0;

    /// Whether a figure grows whose value of a day is this.
    fn grows(kind: Kind, days: u32, point: impl Fn(f64) -> Point) -> Option<bool> {
        let mut figures = Figures::default();
        for day in 0..days {
            let point = point(f64::from(day));
            figures.record(vec![Reading { name: "it".to_owned(), kind, point }]);
        }
        figures.compare().map(|compared| compared[0].grows)
    }

    fn flat(value: f64) -> Point {
        Point { value, per: 1.0 }
    }

    #[test]
    fn a_constant_amount_per_day_is_found_and_warm_up_is_not() {
        let leak = |day: f64| flat(80.0 * MEGABYTE + day * 3.0 * MEGABYTE);
        assert_eq!(grows(Kind::Memory, 28, leak), Some(true));
        let warm_up = |day: f64| flat(day.min(6.0) * 20.0 * MEGABYTE);
        assert_eq!(grows(Kind::Memory, 28, warm_up), Some(false));
        assert_eq!(grows(Kind::Handles, 28, |day| flat(20.0 + day)), Some(true));
        assert_eq!(grows(Kind::Rows, 28, |day| flat(500.0 * day)), Some(true));
    }

    #[test]
    fn noise_and_a_single_outlier_are_no_growth() {
        let noise = |day: f64| flat(1_000.0 + if day % 2.0 == 0.0 { 90.0 } else { 0.0 });
        assert_eq!(grows(Kind::Rows, 28, noise), Some(false));
        let outlier = |day: f64| flat(if day == 25.0 { 90_000.0 } else { 1_000.0 });
        assert_eq!(grows(Kind::Rows, 28, outlier), Some(false));
    }

    #[test]
    fn a_table_that_keeps_its_rows_may_grow_with_them_and_not_faster() {
        let kept = |day: f64| Point { value: (day + 1.0) * MEGABYTE, per: (day + 1.0) * 1_000.0 };
        assert_eq!(grows(Kind::Size, 28, kept), Some(false));
        let bloated = |day: f64| Point { value: (day + 1.0).powi(2) * MEGABYTE, per: (day + 1.0) * 1_000.0 };
        assert_eq!(grows(Kind::Size, 28, bloated), Some(true));
        assert_eq!(grows(Kind::Size, 28, |_| Point { value: 0.0, per: 0.0 }), Some(false));
    }

    #[test]
    fn a_few_days_are_not_compared() {
        assert_eq!(grows(Kind::Rows, 4, |day| flat(500.0 * day)), None);
    }
}
