//! How sure the difference of two pass rates is: Newcombe's interval, made of the Wilson intervals of both.
//!
//! Chosen because it holds what it promises where one side is small, as a holdout is, and near 0 and 1.

/// How many standard deviations hold 95 of 100 values.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Runs on one side of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arm {
    /// How many there are.
    pub runs: u64,
    /// Those with a review. Only these count.
    pub reviewed: u64,
    /// Those that passed.
    pub passed: u64,
}

impl Arm {
    /// The share of reviewed runs that passed; none without a review.
    ///
    /// ```
    /// use reflect_engine::uplift::Arm;
    ///
    /// assert_eq!(Arm { runs: 9, reviewed: 4, passed: 3 }.pass_rate(), Some(0.75));
    /// assert_eq!(Arm { runs: 9, ..Arm::default() }.pass_rate(), None);
    /// ```
    pub fn pass_rate(self) -> Option<f64> {
        (self.reviewed > 0).then(|| self.passed as f64 / self.reviewed as f64)
    }

    fn rate(self) -> Option<Rate> {
        self.pass_rate().map(|share| Rate { share, of: self.reviewed as f64 })
    }
}

/// By how much runs with memories pass more often than runs without, and the range that holds the truth in 95
/// of 100 cases. As shares: 0.15 is 15 points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// As observed.
    pub value: f64,
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Difference {
    /// The difference between two arms; none while one of them has no review.
    ///
    /// ```
    /// use reflect_engine::uplift::{Arm, Difference};
    ///
    /// let with = Arm { runs: 500, reviewed: 500, passed: 375 };
    /// let without = Arm { runs: 50, reviewed: 50, passed: 30 };
    /// let difference = Difference::between(with, without).unwrap();
    /// assert!((difference.value - 0.15).abs() < 1e-9);
    /// assert!(difference.low > 0.0 && difference.excludes_zero());
    /// ```
    pub fn between(with: Arm, without: Arm) -> Option<Self> {
        Some(newcombe(with.rate()?, without.rate()?))
    }

    /// Whether the sign is certain, as far as 95 of 100 is.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// What the difference is without wrong reviews. A review that is wrong with chance `error`, whatever the run
    /// had, shrinks every difference to `1 - 2 × error` of itself. `error` lies between 0 and 0.5.
    ///
    /// ```
    /// use reflect_engine::uplift::Difference;
    ///
    /// let observed = Difference { value: 0.12, low: 0.04, high: 0.2 };
    /// assert!((observed.corrected(0.2).value - 0.2).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn corrected(self, error: f64) -> Self {
        let grown = |value: f64| (value / (1.0 - 2.0 * error)).clamp(-1.0, 1.0);
        Self { value: grown(self.value), low: grown(self.low), high: grown(self.high) }
    }
}

/// A share of so many. The number need not be whole: what would be, had there been more, is asked of it too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub(super) share: f64,
    pub(super) of: f64,
}

impl Rate {
    /// Wilson's interval.
    fn interval(self) -> (f64, f64) {
        let Self { share, of } = self;
        let square = NORMAL_95 * NORMAL_95 / of;
        let middle = share + square / 2.0;
        let half = NORMAL_95 * (share * (1.0 - share) / of + square / (4.0 * of)).sqrt();
        let (low, high) = ((middle - half) / (1.0 + square), (middle + half) / (1.0 + square));
        // Rounding must not push an end past the share itself where that is 0 or 1.
        (low.clamp(0.0, share), high.clamp(share, 1.0))
    }
}

pub(super) fn newcombe(with: Rate, without: Rate) -> Difference {
    let value = with.share - without.share;
    let (with_ends, without_ends) = (with.interval(), without.interval());
    let below = (with.share - with_ends.0).hypot(without_ends.1 - without.share);
    let above = (with_ends.1 - with.share).hypot(without.share - without_ends.0);
    Difference { value, low: (value - below).max(-1.0), high: (value + above).min(1.0) }
}
