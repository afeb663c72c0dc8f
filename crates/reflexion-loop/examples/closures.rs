//! A minimal example with three functions. Run it with `cargo run -p reflect-memory-reflexion-loop --example closures`.

// In another program, use `tokio` directly.
extern crate tokio_lean as tokio;

use std::convert::Infallible;

use reflexion_loop::{LlmReflector, Reflexion, TrialContext, actor_fn, check_fn, model_fn};

/// An agent. It omits the end of the month unless the prompt contains the note.
async fn my_agent(prompt: String) -> String {
    let end = if prompt.contains("both ends") { " AND day < '2024-06-01'" } else { "" };
    format!("SELECT count(*) FROM orders WHERE day >= '2024-05-01'{end}")
}

/// A model.
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
