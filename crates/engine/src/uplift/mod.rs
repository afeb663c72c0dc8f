//! Uplift: by how much memories make runs pass more often.
//!
//! Only a holdout says so: memories are held back from some runs by lot, so that nothing else tells the two
//! sides apart. Without one, runs that had memories are compared with runs that had none, and the answer says
//! that this is no proof.

mod interval;
mod settle;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use reflect_store::ArmCount;
use reflect_types::Arm as Side;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError};
pub use interval::{Arm, Difference};
pub use settle::Settling;

const SWITCH_ON: &str = "To measure, hold memories back from some runs: PATCH /v1/projects/{project_id} with \
                         {\"holdout_rate\": 0.1}, and go on reviewing runs.";

/// What is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UpliftQuestion {
    /// Only runs since then; all that are kept when absent.
    pub since: Option<DateTime<Utc>>,
    /// How many of a hundred reviews are wrong, as a share, when that is known.
    pub review_error: Option<f64>,
}

/// Whether memories help.
#[derive(Debug, Clone, PartialEq)]
pub struct Uplift {
    /// Whether the two sides were chosen by lot, so that the difference is what memories do.
    pub causal: bool,
    /// Runs with memories.
    pub with: Arm,
    /// Runs without.
    pub without: Arm,
    /// The difference of their pass rates; none while one side has no review.
    pub difference: Option<Difference>,
    /// The same without wrong reviews, when it is known how many are wrong.
    pub corrected: Option<Difference>,
    /// What it takes to be sure of its sign.
    pub settling: Settling,
    /// All that in words.
    pub message: String,
}

impl Engine {
    /// Says whether memories help in the visitor's project.
    pub async fn uplift(&self, visitor: &Visitor, question: UpliftQuestion) -> Result<Uplift, EngineError> {
        if question.review_error.is_some_and(|error| !(0.0..0.5).contains(&error)) {
            let problem =
                "must be at least 0 and less than 0.5: with every second review wrong, reviews say nothing";
            return Err(EngineError::invalid("review_error", problem));
        }
        let counts = self.store.project(visitor.project).arm_counts(question.since).await?;
        Ok(Uplift::of(&counts, question.review_error))
    }
}

impl Uplift {
    /// The answer that these counts give.
    pub fn of(counts: &[ArmCount], review_error: Option<f64>) -> Self {
        let causal = counts.iter().any(|count| count.arm.is_some());
        let side = |side: Side| {
            sum(counts.iter().filter(|count| match causal {
                true => count.arm == Some(side.code()),
                false => count.linked == (side == Side::With),
            }))
        };
        let (with, without) = (side(Side::With), side(Side::Without));
        let difference = Difference::between(with, without);
        let corrected =
            review_error.and_then(|error| difference.map(|difference| difference.corrected(error)));
        let settling = match causal {
            true => Settling::of(with, without),
            false => {
                Settling::Unknown("nothing is held out, so no number of reviews would show what memories do")
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
                format!("Memories do harm: {}.", self.observed(difference))
            }
            (true, Some(difference)) => format!("Not known yet: {}.", self.observed(difference)),
            (true, None) => "Not known yet.".to_owned(),
        };
        if self.causal {
            match self.settling {
                Settling::Settled => {}
                Settling::After(more) => text.push_str(&format!(
                    " About {more} more reviews of held-out runs would settle it, if the rates stay as they are."
                )),
                Settling::Unknown(reason) => text.push_str(&format!(" More cannot be said: {reason}.")),
            }
        }
        if let Some(corrected) = self.corrected {
            text.push_str(&format!(" Corrected for wrong reviews: {}.", points(corrected)));
        }
        text
    }

    fn observed(&self, difference: Difference) -> String {
        let percent = |arm: Arm| 100.0 * arm.pass_rate().unwrap_or_default();
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

fn points(difference: Difference) -> String {
    // Adding zero turns a negative zero, which would read as a loss, into a positive one.
    let hundred = |value: f64| (1000.0 * value).round() / 10.0 + 0.0;
    let Difference { value, low, high } = difference;
    format!(
        "{:+.1} points, between {:+.1} and {:+.1} in 95 of 100 cases",
        hundred(value),
        hundred(low),
        hundred(high)
    )
}

fn sum<'a>(counts: impl Iterator<Item = &'a ArmCount>) -> Arm {
    let number = |count: i64| u64::try_from(count).unwrap_or(0);
    counts.fold(Arm::default(), |arm, count| Arm {
        runs: arm.runs + number(count.runs),
        reviewed: arm.reviewed + number(count.reviewed),
        passed: arm.passed + number(count.passed),
    })
}
