//! How many more reviews it takes to tell whether memories help.

use super::interval::{Arm, Difference, Rate, newcombe};

/// Beyond so many reviewed runs without memories, a difference is as good as none.
const MOST: u64 = 100_000;

/// What it takes until the interval excludes zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settling {
    /// Nothing: it does.
    Settled,
    /// About so many more reviews of held-out runs, if both rates and the split stay as they are.
    After(u64),
    /// That cannot be said, for this reason.
    Unknown(&'static str),
}

impl Settling {
    /// What it takes to settle the difference between two arms.
    ///
    /// ```
    /// use reflect_engine::uplift::{Arm, Settling};
    ///
    /// let with = Arm { runs: 100, reviewed: 100, passed: 75 };
    /// let without = Arm { runs: 10, reviewed: 10, passed: 6 };
    /// assert_eq!(Settling::of(with, without), Settling::After(27));
    /// ```
    pub fn of(with: Arm, without: Arm) -> Self {
        let (Some(with_rate), Some(without_rate)) = (with.pass_rate(), without.pass_rate()) else {
            return Self::Unknown(missing(with, without));
        };
        let split = with.reviewed as f64 / without.reviewed as f64;
        let settled = |reviewed: u64| {
            let of = reviewed as f64;
            let with = Rate { share: with_rate, of: of * split };
            newcombe(with, Rate { share: without_rate, of }).excludes_zero()
        };
        if Difference::between(with, without).is_some_and(Difference::excludes_zero) {
            return Self::Settled;
        }
        let most = without.reviewed.saturating_add(MOST);
        if !settled(most) {
            return Self::Unknown(
                "the pass rates are too close to each other for more reviews to tell them apart",
            );
        }
        // More reviews at the same rates only narrow the interval, so the first that settle it can be bisected.
        let (mut open, mut enough) = (without.reviewed, most);
        while enough - open > 1 {
            let middle = open + (enough - open) / 2;
            if settled(middle) { enough = middle } else { open = middle }
        }
        Self::After(enough - without.reviewed)
    }
}

fn missing(with: Arm, without: Arm) -> &'static str {
    match (with.reviewed, without.reviewed) {
        (0, 0) => "no run of the comparison has a review yet",
        (_, 0) => "no run without memories has a review yet",
        _ => "no run with memories has a review yet",
    }
}
