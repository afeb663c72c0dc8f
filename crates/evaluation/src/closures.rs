//! Functions as evaluators.

use std::error::Error;
use std::fmt;
use std::future::Future;

use async_trait::async_trait;

use crate::attempt::{Attempt, Task};
use crate::evaluation::Evaluation;
use crate::evaluator::{EvaluationError, Evaluator};

/// A function that checks final responses. Created by [`check_fn`].
#[derive(Clone)]
pub struct CheckFn<F>(F);

/// A function that evaluates attempts. Created by [`evaluator_fn`].
#[derive(Clone)]
pub struct EvaluatorFn<F>(F);

/// Creates an evaluator from a function that checks the final response.
///
/// The function returns a boolean, a `Result<(), String>` whose error is the feedback, a [`Verdict`](crate::Verdict), or a
/// whole [`Evaluation`].
///
/// ```
/// use reflect_evaluation::{Attempt, Evaluator, Task, check_fn};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let bounded = check_fn(|answer: &str| {
///     if answer.contains("< '2024-06-01'") { Ok(()) } else { Err("The query has no end date.") }
/// });
///
/// let evaluation = bounded.evaluate(&Task::from("…"), &Attempt::from("SELECT 1")).await.unwrap();
/// assert_eq!(evaluation.feedback.as_deref(), Some("The query has no end date."));
/// # });
/// ```
pub fn check_fn<F, E>(check: F) -> CheckFn<F>
where
    F: Fn(&str) -> E + Send + Sync,
    E: Into<Evaluation>,
{
    CheckFn(check)
}

/// Creates an evaluator from an async function of a task and an attempt.
///
/// The function takes both by value, so its future can be sent to another thread.
///
/// ```
/// use std::convert::Infallible;
///
/// use reflect_evaluation::{Attempt, Evaluator, Task, Verdict, evaluator_fn};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let used_a_tool = evaluator_fn(|_task: Task, attempt: Attempt| async move {
///     Ok::<_, Infallible>(attempt.trajectory.len() > 1)
/// });
///
/// let evaluation = used_a_tool.evaluate(&Task::from("…"), &Attempt::from("42")).await.unwrap();
/// assert_eq!(evaluation.verdict, Verdict::Fail);
/// # });
/// ```
pub fn evaluator_fn<F, Fut, T, E>(evaluate: F) -> EvaluatorFn<F>
where
    F: Fn(Task, Attempt) -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Into<Evaluation>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    EvaluatorFn(evaluate)
}

#[async_trait]
impl<F, E> Evaluator for CheckFn<F>
where
    F: Fn(&str) -> E + Send + Sync,
    E: Into<Evaluation>,
{
    fn name(&self) -> &str {
        "check_fn"
    }

    async fn evaluate(&self, _: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        Ok((self.0)(&attempt.final_response).into())
    }
}

#[async_trait]
impl<F, Fut, T, E> Evaluator for EvaluatorFn<F>
where
    F: Fn(Task, Attempt) -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Into<Evaluation>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    fn name(&self) -> &str {
        "evaluator_fn"
    }

    async fn evaluate(&self, task: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        let evaluated = (self.0)(task.clone(), attempt.clone()).await;
        evaluated.map(Into::into).map_err(|error| EvaluationError::Other(error.into()))
    }
}

impl<F> fmt::Debug for CheckFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckFn")
    }
}

impl<F> fmt::Debug for EvaluatorFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EvaluatorFn")
    }
}
