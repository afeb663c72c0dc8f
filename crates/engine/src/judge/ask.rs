//! Asking a judge about one run: the prompt, and the meaning of the answer.

use std::time::Instant;

use reflect_evaluation::{Attempt, Evaluation, EvaluationError, Evaluator, LlmEvaluator, Task, Verdict};
use reflect_model::{ModelError, Remedy};
use reflect_store::ModelCost;
use reflect_types::{CrashPoint, ReviewResult};
use reflection_pipeline::trajectory::{self, shorten};

use crate::budget::cost;
use crate::client_text::storable;
use crate::learning_settings::LearningSettings;
use crate::models::{PROVIDER_PAUSED, TextModels};

/// In tokens, for the task and for the reference text.
const TASK_TOKENS: usize = 1_900;
/// In characters. The prompt asks for three sentences, but a wrong answer may be long.
const LONGEST_FEEDBACK: usize = 2_000;
/// A pass with a lower score is a contradiction.
const PASS_FROM: f64 = 0.5;

/// A run to judge.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedRun<'a> {
    pub(super) task: &'a str,
    /// The messages as a JSON array.
    pub(super) trajectory: &'a str,
    pub(super) final_response: Option<&'a str>,
    pub(super) reference_context: Option<&'a str>,
}

/// The verdict of a judge on a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// The result; `None` if the judge could not tell or its answer could not be read.
    pub result: Option<ReviewResult>,
    /// The feedback.
    pub feedback: Option<String>,
    /// How well the score supports the result, from 0 to 1; `None` without a score.
    pub confidence: Option<f32>,
    /// The cost.
    pub cost: ModelCost,
}

/// Why there is no verdict.
#[derive(Debug)]
pub(super) struct NoAnswer {
    pub(super) error: ModelError,
    /// The cost of the failed calls.
    pub(super) cost: ModelCost,
}

/// Asks the judge model for its verdict.
#[derive(Debug, Clone)]
pub(super) struct JudgeAsker {
    models: TextModels,
    settings: LearningSettings,
}

impl JudgeAsker {
    pub(super) const fn new(models: TextModels, settings: LearningSettings) -> Self {
        Self { models, settings }
    }

    /// The verdict of the judge on a run. Stores nothing.
    pub(super) async fn opinion(&self, run: JudgedRun<'_>, rubric: &str) -> Result<Opinion, NoAnswer> {
        let no_answer = |error| NoAnswer { error, cost: ModelCost::default() };
        let Some((model, breaker)) = self.models.judge() else {
            return Err(no_answer(ModelError::do_not_retry("no model is configured")));
        };
        if let Err(rest) = breaker.enter(Instant::now()) {
            return Err(no_answer(ModelError::retry_later(PROVIDER_PAUSED, Some(rest))));
        }
        let settings = &self.settings;
        let judge = LlmEvaluator::new(model)
            .rubric(rubric)
            .with_budget(settings.trajectory_tokens)
            .with_max_tokens(Some(settings.reflection_tokens))
            .with_temperature(0.0);
        CrashPoint::JudgeModel.before();
        let evaluated = judge.evaluate(&task(run), &attempt(run)).await;
        CrashPoint::JudgeModel.after();
        match evaluated {
            Ok(evaluation) => {
                breaker.answered();
                Ok(opinion(evaluation))
            }
            Err(error) => {
                match error.remedy() {
                    Remedy::RetryLater { after } => breaker.failed(after, Instant::now()),
                    Remedy::DoNotRetry | Remedy::Unreadable => breaker.answered(),
                }
                let cost = cost(error.usage(), 1);
                let error = match error {
                    EvaluationError::Model { source, .. } => source,
                    other => ModelError::do_not_retry(other.to_string()),
                };
                Err(NoAnswer { error, cost })
            }
        }
    }
}

fn task(run: JudgedRun<'_>) -> Task {
    match run.reference_context.filter(|text| !text.trim().is_empty()) {
        None => Task::from(run.task),
        Some(reference) => Task::from(format!(
            "{}\n\n[Text the run was held against]\n{}",
            shorten(run.task, TASK_TOKENS),
            shorten(reference, TASK_TOKENS)
        )),
    }
}

fn attempt(run: JudgedRun<'_>) -> Attempt {
    let messages = trajectory::messages(run.trajectory);
    Attempt::from(run.final_response.unwrap_or_default()).with_trajectory(messages)
}

/// The meaning of an answer. A pass with a score below one half counts as unclear.
fn opinion(evaluation: Evaluation) -> Opinion {
    let score = evaluation.score.map(|score| score.get());
    let contradicts = evaluation.verdict == Verdict::Pass && score.is_some_and(|score| score < PASS_FROM);
    let result = evaluation.verdict.result().filter(|_| !contradicts);
    let confidence = result.zip(score).map(|(result, score)| match result {
        ReviewResult::Pass => score as f32,
        ReviewResult::Fail => (1.0 - score) as f32,
    });
    let feedback = evaluation.feedback.map(|text| text.trim().chars().take(LONGEST_FEEDBACK).collect());
    Opinion {
        result,
        feedback: feedback.map(storable).filter(|text| !text.is_empty()),
        confidence,
        cost: cost(evaluation.usage, evaluation.calls),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_evaluation::Score;

    fn scored(verdict: Verdict, score: f64) -> Opinion {
        opinion(Evaluation::new(verdict).with_score(Score::new(score).unwrap()))
    }

    #[test]
    fn a_score_says_how_far_it_backs_the_verdict() {
        assert_eq!(scored(Verdict::Pass, 0.75).confidence, Some(0.75));
        assert_eq!(scored(Verdict::Fail, 0.25).confidence, Some(0.75));
        assert_eq!(opinion(Evaluation::pass()).confidence, None);
        assert_eq!(scored(Verdict::Unclear, 0.75).confidence, None);
    }

    #[test]
    fn a_pass_that_its_score_speaks_against_is_none_and_a_fail_may_be_nearly_there() {
        assert_eq!(scored(Verdict::Pass, 0.49).result, None);
        assert_eq!(scored(Verdict::Pass, 0.5).result, Some(ReviewResult::Pass));
        assert_eq!(scored(Verdict::Fail, 0.9).result, Some(ReviewResult::Fail));
    }

    #[test]
    fn feedback_is_cut_and_can_be_stored() {
        let long = opinion(Evaluation::fail().with_feedback("ä\0".repeat(5_000))).feedback.unwrap();
        assert_eq!(long.chars().count(), LONGEST_FEEDBACK);
        assert!(!long.contains('\0'));
        assert_eq!(opinion(Evaluation::fail().with_feedback("  ")).feedback, None);
    }

    #[test]
    fn a_text_that_the_run_was_held_against_is_shown_with_the_task() {
        let run = JudgedRun {
            task: "Refund it",
            trajectory: "[]",
            final_response: None,
            reference_context: Some("No refunds."),
        };
        assert!(task(run).text.contains("No refunds."));
        assert_eq!(task(JudgedRun { reference_context: Some(" "), ..run }).text, "Refund it");
    }
}
