//! Uplift: how much memories raise the pass rate.
//!
//! Only a holdout shows a causal effect: memories are withheld from random runs, so nothing else differs between the
//! arms. Without a holdout, runs with and without memories are compared, and the report says that this is not causal.

mod certainty;
mod interval;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use reflect_store::ArmCount;
use reflect_types::Arm as Side;

use crate::error::EngineError;
pub use certainty::Certainty;
pub(crate) use interval::share_interval;
pub use interval::{ArmStats, RateDifference};

const SWITCH_ON: &str = "To measure, withhold memories from some runs: PATCH /v1/projects/{project_id} with \
                         {\"holdout_rate\": 0.1}, and continue to review runs.";

/// Parameters of an uplift report.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UpliftQuestion {
    /// Only runs since this time; `None` for all.
    pub since: Option<DateTime<Utc>>,
    /// The share of wrong reviews, if known.
    pub review_error: Option<f64>,
}

/// Whether memories help.
#[derive(Debug, Clone, PartialEq)]
pub struct UpliftReport {
    /// Whether the arms were chosen at random. Then the difference is the effect of memories.
    pub causal: bool,
    /// Runs with memories.
    pub with: ArmStats,
    /// Runs without memories.
    pub without: ArmStats,
    /// The difference between their pass rates; `None` if one arm has no review.
    pub difference: Option<RateDifference>,
    /// The difference corrected for wrong reviews, if their share is known.
    pub corrected: Option<RateDifference>,
    /// What is needed to be sure of its sign.
    pub settling: Certainty,
    /// The report as text.
    pub message: String,
}

impl UpliftQuestion {
    /// Refuses a review error that is out of range.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.review_error.is_some_and(|error| !(0.0..0.5).contains(&error)) {
            let problem =
                "must be at least 0 and less than 0.5: with half of all reviews wrong, reviews say nothing";
            return Err(EngineError::invalid("review_error", problem));
        }
        Ok(())
    }
}

impl UpliftReport {
    /// The report for these counts.
    pub fn of(counts: &[ArmCount], review_error: Option<f64>) -> Self {
        let causal = counts.iter().any(|count| count.arm.is_some());
        let side = |side: Side| {
            sum(counts.iter().filter(|count| match causal {
                true => count.arm == Some(side.code()),
                false => count.linked == (side == Side::With),
            }))
        };
        let (with, without) = (side(Side::With), side(Side::Without));
        let difference = RateDifference::between(with, without);
        let corrected =
            review_error.and_then(|error| difference.map(|difference| difference.corrected(error)));
        let settling = match causal {
            true => Certainty::of(with, without),
            false => {
                Certainty::Unknown("nothing is held out, so no number of reviews would show what memories do")
            }
        };
        let mut uplift =
            Self { causal, with, without, difference, corrected, settling, message: String::new() };
        uplift.message = uplift.describe();
        uplift
    }

    fn describe(&self) -> String {
        let mut text = match (self.causal, self.difference) {
            (false, None) => format!("Not known: nothing is held out. {SWITCH_ON}"),
            (false, Some(difference)) => format!(
                "Not causal: nothing is held out, so runs with memories may differ from runs without in other ways \
                 too. Observed: {}. {SWITCH_ON}",
                self.observed(difference)
            ),
            (true, Some(difference)) if difference.low > 0.0 => {
                format!("Memories help: {}.", self.observed(difference))
            }
            (true, Some(difference)) if difference.high < 0.0 => {
                format!("Memories are harmful: {}.", self.observed(difference))
            }
            (true, Some(difference)) => format!("Not known yet: {}.", self.observed(difference)),
            (true, None) => "Not known yet.".to_owned(),
        };
        if self.causal {
            match self.settling {
                Certainty::Settled => {}
                Certainty::After(more) => text.push_str(&format!(
                    " About {more} more reviews of held-out runs would decide it, if the rates stay the same."
                )),
                Certainty::Unknown(reason) => text.push_str(&format!(" No estimate is possible: {reason}.")),
            }
        }
        if let Some(corrected) = self.corrected {
            text.push_str(&format!(" Corrected for wrong reviews: {}.", points(corrected)));
        }
        text
    }

    fn observed(&self, difference: RateDifference) -> String {
        let percent = |arm: ArmStats| 100.0 * arm.pass_rate().unwrap_or_default();
        format!(
            "{:.1} % of {} reviewed runs with memories passed, and {:.1} % of {} without: {}",
            percent(self.with),
            self.with.reviewed,
            percent(self.without),
            self.without.reviewed,
            points(difference)
        )
    }
}

fn points(difference: RateDifference) -> String {
    // Adding 0 turns -0.0 into 0.0, which is not shown with a minus sign.
    let hundred = |value: f64| (1000.0 * value).round() / 10.0 + 0.0;
    let RateDifference { value, low, high } = difference;
    format!(
        "{:+.1} points, between {:+.1} and {:+.1} in 95 of 100 cases",
        hundred(value),
        hundred(low),
        hundred(high)
    )
}

fn sum<'a>(counts: impl Iterator<Item = &'a ArmCount>) -> ArmStats {
    let number = |count: i64| u64::try_from(count).unwrap_or(0);
    counts.fold(ArmStats::default(), |arm, count| ArmStats {
        runs: arm.runs + number(count.runs),
        reviewed: arm.reviewed + number(count.reviewed),
        passed: arm.passed + number(count.passed),
    })
}
