//! The confidence interval for the difference of two pass rates: Newcombe's method with Wilson intervals.
//!
//! Chosen because it is accurate if one side is small, as a holdout is, and near 0 and 1.

/// The two-sided 95 % quantile of the normal distribution.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The runs of one arm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ArmStats {
    /// All runs.
    pub runs: u64,
    /// The reviewed runs. Only these count.
    pub reviewed: u64,
    /// The runs that passed.
    pub passed: u64,
}

impl ArmStats {
    /// The share of reviewed runs that passed; `None` without a review.
    ///
    /// ```
    /// use reflect_engine::uplift::ArmStats;
    ///
    /// assert_eq!(ArmStats { runs: 9, reviewed: 4, passed: 3 }.pass_rate(), Some(0.75));
    /// assert_eq!(ArmStats { runs: 9, ..ArmStats::default() }.pass_rate(), None);
    /// ```
    pub fn pass_rate(self) -> Option<f64> {
        (self.reviewed > 0).then(|| self.passed as f64 / self.reviewed as f64)
    }

    fn rate(self) -> Option<Rate> {
        self.pass_rate().map(|share| Rate { share, of: self.reviewed as f64 })
    }
}

/// The difference between the pass rates with and without memories, with its 95 % confidence interval. As a share: 0.15
/// is 15 percentage points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateDifference {
    /// The observed difference.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl RateDifference {
    /// The difference between two arms; `None` if one of them has no review.
    ///
    /// ```
    /// use reflect_engine::uplift::{ArmStats, RateDifference};
    ///
    /// let with = ArmStats { runs: 500, reviewed: 500, passed: 375 };
    /// let without = ArmStats { runs: 50, reviewed: 50, passed: 30 };
    /// let difference = RateDifference::between(with, without).unwrap();
    /// assert!((difference.value - 0.15).abs() < 1e-9);
    /// assert!(difference.low > 0.0 && difference.excludes_zero());
    /// ```
    pub fn between(with: ArmStats, without: ArmStats) -> Option<Self> {
        Some(newcombe(with.rate()?, without.rate()?))
    }

    /// Whether the interval excludes 0.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The difference without wrong reviews. Reviews that are wrong with probability `error` shrink every difference by
    /// the factor `1 - 2 × error`. `error` is between 0 and 0.5.
    ///
    /// ```
    /// use reflect_engine::uplift::RateDifference;
    ///
    /// let observed = RateDifference { value: 0.12, low: 0.04, high: 0.2 };
    /// assert!((observed.corrected(0.2).value - 0.2).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn corrected(self, error: f64) -> Self {
        let grown = |value: f64| (value / (1.0 - 2.0 * error)).clamp(-1.0, 1.0);
        Self { value: grown(self.value), low: grown(self.low), high: grown(self.high) }
    }
}

/// A rate with its sample size, which need not be an integer: it is also computed for hypothetical sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub(super) share: f64,
    pub(super) of: f64,
}

impl Rate {
    /// The Wilson interval.
    fn interval(self) -> (f64, f64) {
        let Self { share, of } = self;
        let square = NORMAL_95 * NORMAL_95 / of;
        let middle = share + square / 2.0;
        let half = NORMAL_95 * (share * (1.0 - share) / of + square / (4.0 * of)).sqrt();
        let (low, high) = ((middle - half) / (1.0 + square), (middle + half) / (1.0 + square));
        // Rounding must not move a bound past the rate itself at 0 or 1.
        (low.clamp(0.0, share), high.clamp(share, 1.0))
    }
}

/// The 95 % confidence interval of a share. `None` of nothing.
pub(crate) fn share_interval(part: i64, of: i64) -> Option<(f64, f64)> {
    let rate = Rate { share: part as f64 / of as f64, of: of as f64 };
    (of > 0).then(|| rate.interval())
}

pub(super) fn newcombe(with: Rate, without: Rate) -> RateDifference {
    let value = with.share - without.share;
    let (with_ends, without_ends) = (with.interval(), without.interval());
    let below = (with.share - with_ends.0).hypot(without_ends.1 - without.share);
    let above = (with_ends.1 - with.share).hypot(without.share - without_ends.0);
    RateDifference { value, low: (value - below).max(-1.0), high: (value + above).min(1.0) }
}
