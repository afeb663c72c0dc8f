//! A custom evaluator with a score, criteria and a threshold. Run it with
//! `cargo run -p reflect-memory-reflexion-loop --example custom_evaluator`.

// In another program, use `tokio` directly.
extern crate tokio_lean as tokio;

use async_trait::async_trait;
use reflect_evaluation::{Criteria, CriteriaError, Criterion};
use reflexion_loop::{
    Attempt, CarryOver, Evaluation, EvaluationError, Evaluator, Options, Reflexion, Score, Task,
    TrialContext, actor_fn,
};

/// Passes a summary that is short and names the important facts.
struct GoodSummary {
    criteria: Criteria,
}

impl GoodSummary {
    fn new() -> Result<Self, CriteriaError> {
        let named = Criterion::new("names the date").weight(2.0);
        Ok(Self { criteria: Criteria::new([named, Criterion::new("is short").optional()])? })
    }
}

#[async_trait]
impl Evaluator for GoodSummary {
    fn name(&self) -> &str {
        "good_summary"
    }

    async fn evaluate(&self, _: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        let answer = &attempt.final_response;
        let yes_or_no = |yes| Some(if yes { Score::FULL } else { Score::NONE });
        let evaluation = self.criteria.weigh(|name| match name {
            "names the date" => yes_or_no(answer.contains("May 3")),
            _ => yes_or_no(answer.len() < 60),
        });
        let missed = evaluation.criteria.iter().filter(|one| one.score == Some(Score::NONE));
        let missed: Vec<&str> = missed.map(|one| one.name.as_str()).collect();
        let feedback = format!("missed: {}", missed.join(", "));
        Ok(evaluation.with_feedback(feedback))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let learner = Reflexion::builder()
        .actor(actor_fn(|cx: TrialContext| async move {
            // Without a reflector, the agent can still use the feedback on its last attempt.
            let told = cx.context().contains("missed: names the date");
            if told { "The meeting is on May 3." } else { "There is a meeting." }
        }))
        .evaluator(GoodSummary::new()?)
        .options(Options {
            carry_over: CarryOver::LastAttempt,
            score_threshold: Some(0.9),
            ..Options::default()
        })
        .build()?;

    let outcome = learner.run("Summarise the letter").await?;

    for trial in &outcome.state.trials {
        let score = trial.evaluation.score.map_or(f64::NAN, Score::get);
        eprintln!("trial {}: {} with {score:.2}", trial.number, trial.verdict);
    }
    eprintln!("{:?}: {}", outcome.stop, outcome.answer().unwrap_or_default());
    Ok(())
}
