//! The least that is needed: three functions. Run it with `cargo run -p reflexion-loop --example closures`.

// In a program of your own this is tokio itself.
extern crate tokio_lean as tokio;

use std::convert::Infallible;

use reflexion_loop::{LlmReflector, Reflexion, TrialContext, actor_fn, check_fn, model_fn};

/// Stands for an agent. It forgets the end of the month until it is told.
async fn my_agent(prompt: String) -> String {
    let end = if prompt.contains("both ends") { " AND day < '2024-06-01'" } else { "" };
    format!("SELECT count(*) FROM orders WHERE day >= '2024-05-01'{end}")
}

/// Stands for a model.
async fn my_model(_prompt: String) -> Result<String, Infallible> {
    let answer = r#"{"summary": "The month had a start and no end.",
        "suggestions": ["Write both ends of the period into the query."]}"#;
    Ok(answer.to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let learner = Reflexion::builder()
        .actor(actor_fn(|cx: TrialContext| async move { my_agent(cx.prompt()).await }))
        .evaluator(check_fn(|answer: &str| {
            if answer.contains("< '2024-06-01'") { Ok(()) } else { Err("Orders of June are counted too.") }
        }))
        .reflector(LlmReflector::new(model_fn("my-model", my_model)))
        .build()?;

    let outcome = learner.run("Write SQL that counts the orders of May 2024").await?;

    let (stop, trials) = (outcome.stop, outcome.state.trials.len());
    eprintln!("{stop:?} after {trials} trials: {}", outcome.answer().unwrap_or_default());
    Ok(())
}
