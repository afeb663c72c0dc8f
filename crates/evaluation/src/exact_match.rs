//! Compares the final response with known answers, which stay private.

use std::fmt;

use async_trait::async_trait;

use crate::attempt::{Attempt, Task};
use crate::evaluation::Evaluation;
use crate::evaluator::{EvaluationError, Evaluator};

/// Passes a final response that equals one of the known answers. It ignores case and whitespace.
///
/// The feedback never contains an expected answer, because the next attempt would only repeat it.
///
/// ```
/// use reflect_evaluation::{Attempt, Evaluator, ExactMatch, Task, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let capital = ExactMatch::new(["Oslo"]);
/// let task = Task::from("What is the capital of Norway?");
///
/// let right = capital.evaluate(&task, &Attempt::from("  oslo ")).await.unwrap();
/// let wrong = capital.evaluate(&task, &Attempt::from("Bergen")).await.unwrap();
/// assert_eq!((right.verdict, wrong.verdict), (Verdict::Pass, Verdict::Fail));
/// assert!(!wrong.feedback.unwrap().contains("Oslo"));
/// # });
/// ```
#[derive(Clone)]
pub struct ExactMatch {
    known: Vec<String>,
}

impl ExactMatch {
    /// Creates an evaluator that accepts each of these answers.
    pub fn new<S: Into<String>>(known: impl IntoIterator<Item = S>) -> Self {
        Self { known: known.into_iter().map(Into::into).collect() }
    }
}

#[async_trait]
impl Evaluator for ExactMatch {
    fn name(&self) -> &str {
        "exact_match"
    }

    async fn evaluate(&self, _: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        let given = folded(&attempt.final_response);
        let evaluation = if self.known.iter().any(|known| folded(known) == given) {
            Evaluation::pass()
        } else {
            Evaluation::fail().with_feedback("The answer is not the expected one.")
        };
        Ok(evaluation.with_private(self.known.clone()))
    }
}

impl fmt::Debug for ExactMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExactMatch")
    }
}

fn folded(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}
