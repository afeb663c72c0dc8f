//! Which runs a judge reviews, and which of its verdicts stay blind. Random, but always the same for the same run.

use reflect_types::{JudgeSettings, TraceId};

use crate::run_sample;

/// The sample of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sample {
    /// The judge reviews the run.
    pub(super) sampled: bool,
    /// The verdict is withheld from reviewers.
    pub(super) blind: bool,
}

/// Draws the sample of a run. The two draws are independent.
pub(super) fn draw(trace: TraceId, settings: &JudgeSettings) -> Sample {
    Sample {
        sampled: run_sample::is_part(trace, "sampled", settings.sample_rate),
        blind: run_sample::is_blind(trace, settings.blind_share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn ids() -> impl Iterator<Item = TraceId> {
        (0..10_000_u128).map(|number| {
            Uuid::from_u128(0x0190_163d_8694_739b_aea5_0000_0000_0000 + number).to_string().parse().unwrap()
        })
    }

    fn drawn(sample_rate: f64, blind_share: f64) -> (usize, usize, usize) {
        let settings = JudgeSettings { sample_rate, blind_share, ..JudgeSettings::default() };
        let samples: Vec<Sample> = ids().map(|trace| draw(trace, &settings)).collect();
        let sampled = samples.iter().filter(|sample| sample.sampled).count();
        let blind = samples.iter().filter(|sample| sample.blind).count();
        (sampled, blind, samples.iter().filter(|sample| sample.sampled && sample.blind).count())
    }

    #[test]
    fn shares_are_what_was_asked_for_and_have_nothing_to_do_with_each_other() {
        // Four standard deviations of 10,000 draws; the ids are fixed, so this never changes.
        let near = |count: usize, share: f64| {
            let deviation = (10_000.0 * share * (1.0 - share)).sqrt();
            assert!((count as f64 - 10_000.0 * share).abs() <= 4.0 * deviation, "{count} of {share}");
        };
        let (sampled, blind, both) = drawn(0.5, 0.2);
        near(sampled, 0.5);
        near(blind, 0.2);
        near(both, 0.1);
    }

    #[test]
    fn all_is_all_and_none_is_none() {
        assert_eq!(drawn(1.0, 0.0), (10_000, 0, 0));
        assert_eq!(drawn(0.0, 1.0), (0, 10_000, 0));
    }

    #[test]
    fn more_of_them_are_the_same_ones_and_some() {
        let settings = |sample_rate| JudgeSettings { sample_rate, ..JudgeSettings::default() };
        let few: Vec<TraceId> = ids().filter(|id| draw(*id, &settings(0.2)).sampled).collect();
        assert!(few.iter().all(|id| draw(*id, &settings(0.4)).sampled));
    }
}
