//! Which lessons a run used, if neither its client nor a model said it: what it did is compared with what they advise.
//!
//! Runs whose client said it measure how reliable that is. Until that is measured in the project, nothing is inferred.

use reflect_rules::inferred_use::{UseRule, inferred_use};
use reflect_store::{LearnInput, NewMemoryRow, Store};
use reflect_types::{MemoryId, ProjectId, Trust, UseSource};

use super::feedback::{JUDGE_MARK, SIGNAL_MARK};
use super::model_lesson::MODEL_MARK;
use super::run_summary::RunSummary;
use crate::lessons::RunUnits;
use crate::memory_indexer::MemoryIndexer;
use crate::models::EmbedFailure;
use crate::project_cache::{self, ProjectCache};

/// How many lessons of a run are compared. Whether it used the others is not known.
const MOST_LESSONS: usize = 10;

/// Infers which lessons runs used.
#[derive(Debug, Clone)]
pub(super) struct InferredUse {
    store: Store,
    projects: ProjectCache,
    indexer: MemoryIndexer,
}

impl InferredUse {
    pub(super) const fn new(store: Store, projects: ProjectCache, indexer: MemoryIndexer) -> Self {
        Self { store, projects, indexer }
    }

    /// Adds to the memory of a run which lessons it used, if neither the client nor the model said it. If the client said
    /// it, returns similarities and use, which measure the rule. A failure is logged, and nothing is inferred.
    pub(super) async fn infer(
        &self,
        project: ProjectId,
        input: &LearnInput,
        units: &RunUnits,
        memory: &mut NewMemoryRow,
    ) -> Vec<(f32, bool)> {
        let said_by_model = memory.lesson.used_by == Some(UseSource::Model);
        if input.trust == Trust::Untrusted || input.shown.is_empty() || said_by_model {
            return Vec::new();
        }
        let compared = match &input.used {
            Some(used) => self.similarities(project, input, units).await.map(|found| measured(&found, used)),
            None => self.apply_rule(project, input, units, memory).await.map(|()| Vec::new()),
        };
        compared.unwrap_or_else(|error| {
            tracing::warn!(trace.id = %input.trace_id, %error, "what a run used is not inferred: {error}");
            Vec::new()
        })
    }

    async fn apply_rule(
        &self,
        project: ProjectId,
        input: &LearnInput,
        units: &RunUnits,
        memory: &mut NewMemoryRow,
    ) -> Result<(), EmbedFailure> {
        if !self.is_wanted(project).await? {
            return Ok(());
        }
        let rule = self.store.project(project).lessons().statistics().await?.uses.rule();
        if !rule.is_reliable() {
            count("unreliable");
            return Ok(());
        }
        let similarities = self.similarities(project, input, units).await?;
        if let Some(is_used) = apply(&rule, &similarities, memory) {
            count(if is_used { "used" } else { "none" });
        }
        Ok(())
    }

    /// Whether the project infers use.
    async fn is_wanted(&self, project: ProjectId) -> Result<bool, EmbedFailure> {
        let facts = self.projects.settings_facts(project).await?;
        Ok(project_cache::settings(&facts.settings).lessons.infer_use)
    }

    /// The similarity of what a run did to the advice of each lesson that it was shown. Empty if the project does not
    /// infer use, or if there is nothing to compare.
    async fn similarities(
        &self,
        project: ProjectId,
        input: &LearnInput,
        units: &RunUnits,
    ) -> Result<Vec<(MemoryId, f32)>, EmbedFailure> {
        if !self.is_wanted(project).await? {
            return Ok(Vec::new());
        }
        let Some(did) = units.actions().or_else(|| what_it_did(&RunSummary::of(input))) else {
            return Ok(Vec::new());
        };
        let advice = input.shown.iter().map(|shown| (shown.memory_id, advice_sentence(&shown.reflection)));
        let advice: Vec<(MemoryId, &str)> =
            advice.filter(|(_, sentence)| !sentence.is_empty()).take(MOST_LESSONS).collect();
        if advice.is_empty() {
            return Ok(Vec::new());
        }
        let sentences = advice.iter().map(|(_, sentence)| (*sentence).to_owned());
        let texts: Vec<String> = std::iter::once(did).chain(sentences).collect();
        let Some((_, vectors)) = self.indexer.texts(project, &texts).await? else { return Ok(Vec::new()) };
        let Some((did, advised)) = vectors.split_first() else { return Ok(Vec::new()) };
        Ok(advice.iter().zip(advised).map(|((memory, _), vector)| (*memory, dot(did, vector))).collect())
    }
}

/// Adds which lessons a run used to its memory. Of lessons that were not compared it is not known. Returns whether it used
/// any, or `None` if nothing is inferred.
fn apply(rule: &UseRule, similarities: &[(MemoryId, f32)], memory: &mut NewMemoryRow) -> Option<bool> {
    let used = inferred_use(rule, similarities)?;
    let is_used = !used.is_empty();
    memory.used = Some(used);
    memory.lesson.used_by = Some(UseSource::Text);
    memory.lesson.compared = Some(similarities.iter().map(|(memory, _)| *memory).collect());
    Some(is_used)
}

fn count(result: &'static str) {
    metrics::counter!("reflect_inferred_use_total", "result" => result).increment(1);
}

/// Similarities of lessons whose use the client stated.
fn measured(similarities: &[(MemoryId, f32)], used: &[MemoryId]) -> Vec<(f32, bool)> {
    similarities.iter().map(|(memory, similarity)| (*similarity, used.contains(memory))).collect()
}

/// The cosine, because vectors have the length 1.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The tools that a run called and its answer.
fn what_it_did(run: &RunSummary) -> Option<String> {
    let parts: Vec<&str> = [&run.approach, &run.answer].into_iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The sentence of a lesson that says what to do: its correct action, else the first sentence of its guidance.
fn advice_sentence(reflection: &str) -> &str {
    let lines = || {
        let lines = reflection.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && ![MODEL_MARK, JUDGE_MARK, SIGNAL_MARK].contains(line))
    };
    if let Some(action) = lines().find_map(|line| line.strip_prefix("Instead: ")) {
        return action;
    }
    let line = lines().next().unwrap_or_default();
    let line = line.strip_prefix("Do: ").unwrap_or(line);
    line.split_once(". ").map_or(line, |(sentence, _)| sentence)
}

#[cfg(test)]
mod tests {
    use reflect_rules::inferred_use::UseTally;
    use reflect_types::ReviewResult;

    use super::*;
    use crate::learn::offline;
    use crate::lessons::memory;
    use crate::lessons::test_input::input;

    #[test]
    fn only_compared_lessons_are_known_to_be_unused_and_only_with_a_measured_rule() {
        let (used, unused) = (MemoryId::generate(), MemoryId::generate());
        let similarities = [(used, 0.9), (unused, 0.2)];
        let input = input(ReviewResult::Pass, None);
        let mut memory = memory(&input, offline::lesson(&input, None));
        assert_eq!(apply(&UseTally::default().rule(), &similarities, &mut memory), None);
        assert_eq!((&memory.used, memory.lesson.used_by, &memory.lesson.compared), (&None, None, &None));

        let measured = (0..50).fold(UseTally::default(), |tally, _| tally.after(0.7, true).after(0.4, false));
        assert_eq!(apply(&measured.rule(), &similarities, &mut memory), Some(true));

        assert_eq!((memory.used, memory.lesson.used_by), (Some(vec![used]), Some(UseSource::Text)));
        assert_eq!(memory.lesson.compared, Some(vec![used, unused]));
    }

    #[test]
    fn the_advice_is_the_correct_action_or_the_first_sentence() {
        assert_eq!(advice_sentence("Check it. Then pay.\nMistake: late\nInstead: Pay first."), "Pay first.");
        assert_eq!(advice_sentence("Check the order. Then pay."), "Check the order");
        assert_eq!(advice_sentence("Added by a model:\nLook it up."), "Look it up.");
        assert_eq!(advice_sentence("Written by the judge, a model:\n\nWait."), "Wait.");
        assert_eq!(advice_sentence("Do: restart the phone"), "restart the phone");
        assert_eq!(advice_sentence("  "), "");
    }

    #[test]
    fn tools_and_answer_are_what_a_run_did() {
        let run = RunSummary {
            approach: Some("called lookup".into()),
            plan: Some("I look first.".into()),
            answer: Some("24.00".into()),
            ..RunSummary::default()
        };
        assert_eq!(what_it_did(&run).as_deref(), Some("called lookup; 24.00"));
        assert_eq!(what_it_did(&RunSummary::default()), None);
    }

    #[test]
    fn what_a_client_said_measures_the_rule() {
        let (used, unused) = (MemoryId::generate(), MemoryId::generate());
        assert_eq!(measured(&[(used, 0.9), (unused, 0.2)], &[used]), [(0.9, true), (0.2, false)]);
    }
}
