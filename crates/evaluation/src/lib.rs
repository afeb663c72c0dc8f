//! Evaluates what an agent did: pass, fail or unclear, perhaps with a score, feedback and criteria.
//!
//! An [`Evaluator`] looks at a task and an [`Attempt`] at it and gives an [`Evaluation`]. A function is enough
//! ([`check_fn`], [`evaluator_fn`]); [`ExactMatch`] compares with a known answer; [`LlmEvaluator`] asks a model.
//!
//! ```
//! use reflect_evaluation::{Attempt, Evaluator, Task, Verdict, check_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let evaluator = check_fn(|answer: &str| answer.contains("42"));
//!
//! let task = Task::from("What is six times seven?");
//! let evaluation = evaluator.evaluate(&task, &Attempt::from("It is 42.")).await?;
//! assert_eq!(evaluation.verdict, Verdict::Pass);
//! # Ok(())
//! # }
//! ```
//!
//! # A verdict is never guessed
//!
//! A model is asked for a verdict by schema. If its answer has another shape, it is told so once. If that does not
//! help, the text is read by [`Verdict::in_text`], which knows a leading verdict word and a line `Verdict: …` and
//! nothing else. What is left is [`Verdict::Unclear`]: not a fail, and never a score of nought.
//!
//! # What is private
//!
//! A known answer, or anything else that the next attempt must not learn, goes into [`Evaluation::private`]. It is
//! neither written by serde nor shown by `Debug`, so it reaches no prompt, no file and no log.
//!
//! # Differences from the libraries this one learned from
//!
//! | There | Here | Why |
//! |---|---|---|
//! | success is the substring "SUCCESS" in the upper-cased answer | [`Verdict::in_text`] | "FAILURE: not successfully …" and "unsuccessful" counted as success |
//! | success is a boolean | three values | a judge that did not answer has not said that the agent failed |
//! | an answer that cannot be read scores 0.0 | no score, unclear | a mean over such noughts measures the judge |
//! | a score that is out of range is clamped, a missing one is 0 | [`Score`] refuses it, missing is `None` | a judge that says 85 means per cent, not 1 |
//! | the evaluator sees tool names and call ids | it sees arguments and results, cut to a budget | what tools said is what there is to judge |
//! | a case passes if any scorer passes | all required [`Criteria`] must | one good mark does not make up for a wrong answer |
//! | pass@k is "any of the first k runs" | [`pass_at_k`] is the unbiased estimator | the first k are one sample of many |

mod attempt;
mod closures;
mod criteria;
mod evaluation;
mod evaluator;
mod exact_match;
mod in_text;
mod llm;
mod pass_at_k;
mod score;
mod verdict;

pub use attempt::{Attempt, Task};
pub use closures::{CheckFn, EvaluatorFn, check_fn, evaluator_fn};
pub use criteria::{Criteria, CriteriaError, Criterion, CriterionResult};
pub use evaluation::{EvaluatedBy, Evaluation, JUDGE_ALPHA, Private};
pub use evaluator::{EvaluationError, Evaluator};
pub use exact_match::ExactMatch;
pub use llm::LlmEvaluator;
pub use pass_at_k::{mean_pass_at_k, pass_at_k};
pub use reflect_model::{ModelError, TextModel, Usage};
pub use reflection_pipeline::{Parse, model_fn};
pub use score::{InvalidScore, Score};
pub use verdict::{UnknownVerdict, Verdict};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
