//! The estimated cost of a lesson. A pure rule.

use reflect_store::UnreviewedRun;

use crate::learning_settings::LearningSettings;

/// The tokens of the prompt without the run.
const RULES: u64 = 450;
/// The tokens for each memory of the run.
const PER_MEMORY: u64 = 90;
/// An estimate.
const BYTES_PER_TOKEN: u64 = 4;
/// The limits of each text in the prompt; see `learn/prompt.rs`.
const MOST_OF_A_TEXT: u64 = 1000;
const MOST_OF_THE_REFERENCE: u64 = 2000;

/// The estimated number of tokens that a model reads and writes for the lesson of one run. Counts bytes, so scripts
/// with several bytes per character count more, as they do in tokens.
pub(super) fn lesson_tokens(run: &UnreviewedRun, feedback: usize, settings: &LearningSettings) -> u64 {
    let tokens = |bytes: i64| u64::try_from(bytes).unwrap_or(0).div_ceil(BYTES_PER_TOKEN);
    let feedback = (feedback as u64).div_ceil(BYTES_PER_TOKEN);
    RULES
        + tokens(run.trajectory).min(settings.trajectory_tokens as u64)
        + tokens(run.task).min(MOST_OF_A_TEXT)
        + tokens(run.answer).min(MOST_OF_A_TEXT)
        + tokens(run.reference).min(MOST_OF_THE_REFERENCE)
        + feedback.min(MOST_OF_A_TEXT)
        + run.linked.len() as u64 * PER_MEMORY
        + u64::from(settings.reflection_tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{MemoryId, TraceId};

    fn run(trajectory: i64) -> UnreviewedRun {
        let trace_id = TraceId::generate();
        UnreviewedRun { trace_id, linked: Vec::new(), trajectory, task: 40, answer: 400, reference: 0 }
    }

    #[test]
    fn a_longer_run_costs_more_until_it_is_cut() {
        let settings = LearningSettings::default();
        let cost = |bytes| lesson_tokens(&run(bytes), 0, &settings);

        assert_eq!(cost(0), 450 + 10 + 100 + 800);
        assert_eq!(cost(4_000), cost(0) + 1_000);
        assert_eq!(cost(24_000), cost(24_000_000));
    }

    #[test]
    fn feedback_and_memories_are_read_too() {
        let settings = LearningSettings::default();
        let with_memory = UnreviewedRun { linked: vec![MemoryId::generate()], ..run(0) };

        assert_eq!(lesson_tokens(&with_memory, 0, &settings), lesson_tokens(&run(0), 0, &settings) + 90);
        assert_eq!(lesson_tokens(&run(0), 80, &settings), lesson_tokens(&run(0), 0, &settings) + 20);
    }
}
