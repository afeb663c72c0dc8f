//! How many more reviews are needed to know whether memories help.

use super::interval::{ArmStats, Rate, RateDifference, newcombe};

/// A difference that needs more reviews than this does not matter in practice.
const MOST: u64 = 100_000;

/// What is needed until the interval excludes 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// Nothing: it excludes 0.
    Settled,
    /// About this many more reviews of held-out runs, at the same rates and the same split.
    After(u64),
    /// Unknown, for this reason.
    Unknown(&'static str),
}

impl Certainty {
    /// What is needed for the difference between two arms.
    ///
    /// ```
    /// use reflect_engine::uplift::{ArmStats, Certainty};
    ///
    /// let with = ArmStats { runs: 100, reviewed: 100, passed: 75 };
    /// let without = ArmStats { runs: 10, reviewed: 10, passed: 6 };
    /// assert_eq!(Certainty::of(with, without), Certainty::After(27));
    /// ```
    pub fn of(with: ArmStats, without: ArmStats) -> Self {
        let (Some(with_rate), Some(without_rate)) = (with.pass_rate(), without.pass_rate()) else {
            return Self::Unknown(missing(with, without));
        };
        let split = with.reviewed as f64 / without.reviewed as f64;
        let settled = |reviewed: u64| {
            let of = reviewed as f64;
            let with = Rate { share: with_rate, of: of * split };
            newcombe(with, Rate { share: without_rate, of }).excludes_zero()
        };
        if RateDifference::between(with, without).is_some_and(RateDifference::excludes_zero) {
            return Self::Settled;
        }
        let most = without.reviewed.saturating_add(MOST);
        if !settled(most) {
            return Self::Unknown(
                "the pass rates are too close to each other for more reviews to tell them apart",
            );
        }
        // At constant rates, more reviews only narrow the interval, so the number can be found by bisection.
        let (mut open, mut enough) = (without.reviewed, most);
        while enough - open > 1 {
            let middle = open + (enough - open) / 2;
            if settled(middle) { enough = middle } else { open = middle }
        }
        Self::After(enough - without.reviewed)
    }
}

fn missing(with: ArmStats, without: ArmStats) -> &'static str {
    match (with.reviewed, without.reviewed) {
        (0, 0) => "no run of the comparison has a review yet",
        (_, 0) => "no run without memories has a review yet",
        _ => "no run with memories has a review yet",
    }
}
