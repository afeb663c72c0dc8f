//! Evaluates the attempts of an agent: pass, fail or unclear, optionally with a score, feedback and criteria.
//!
//! An [`Evaluator`] takes a task and an [`Attempt`] and returns an [`Evaluation`]. A function can be an evaluator
//! ([`check_fn`], [`evaluator_fn`]); [`ExactMatch`] compares with a known answer; [`LlmEvaluator`] calls a model.
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
//! The model must answer with JSON that matches a schema. If the answer does not match, the model gets the error and
//! answers once more. If that fails too, [`Verdict::in_text`] parses the text. It recognises a verdict word at the start
//! and a line `Verdict: …`. Any other text is [`Verdict::Unclear`], which is not a fail and has no score.
//!
//! # Private data
//!
//! Put the expected answer, and all other data that the next attempt must not see, into [`Evaluation::private`]. serde
//! does not serialise it and `Debug` does not print it, so it cannot appear in a prompt, a file or a log.
//!
//! # Differences from earlier libraries
//!
//! | Earlier libraries | This crate | Reason |
//! |---|---|---|
//! | success is the substring "SUCCESS" in the upper-cased answer | [`Verdict::in_text`] | "FAILURE: not successfully …" and "unsuccessful" counted as success |
//! | success is a boolean | three values | a missing answer of the judge is not a failure of the agent |
//! | an answer that cannot be parsed scores 0.0 | unclear, without a score | with such zeros, a mean measures the judge instead of the agent |
//! | an out-of-range score is clamped, a missing score is 0 | [`Score`] rejects it, a missing score is `None` | a score of 85 means 85 %, not 1 |
//! | the evaluator sees tool names and call ids | it sees arguments and results, shortened to a token budget | tool results are the evidence for a verdict |
//! | a case passes if any scorer passes | all required [`Criteria`] must pass | one good score does not compensate for a wrong answer |
//! | pass@k is "any of the first k runs" | [`pass_at_k`] is the unbiased estimator | the first k runs are only one possible sample |

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
pub use criteria::{Criteria, CriteriaError, Criterion};
pub use evaluation::{CriterionResult, EvaluatedBy, Evaluation, JUDGE_ALPHA, Private};
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
