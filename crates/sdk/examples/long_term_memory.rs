//! What one process learns, the next one knows.
//!
//! It needs a Reflect server (`REFLECT_API_KEY`, `REFLECT_BASE_URL`, `REFLECT_PROJECT_ID`) with an embedder, or tasks are
//! found by their words alone:
//!
//! ```text
//! cargo run -p reflect-memory-client --features reflexion-loop --example long_term_memory
//! ```
//!
//! Without a task it starts itself twice, with two tasks that are alike. The first process fails, notes what was wrong
//! and passes; the second is given the note and passes at once.

// In a program of your own this is tokio itself.
extern crate sdk_tokio as tokio;

use std::process::Command;

use reflect_sdk::ReflectClient;
use reflexion_loop::{LlmReflector, Reflexion, TrialContext, actor_fn, check_fn, model_fn};

const TASKS: [&str; 2] =
    ["Count the orders that were placed in May", "Count the orders that were placed in November"];

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(task) = std::env::args().nth(1) {
        return one_process(&task).await;
    }
    for task in TASKS {
        let status = Command::new(std::env::current_exe()?).arg(task).status()?;
        if !status.success() {
            return Err(format!("the process ended with {status}").into());
        }
    }
    Ok(())
}

async fn one_process(task: &str) -> Result<(), Box<dyn std::error::Error>> {
    let learner = Reflexion::builder()
        // Stands for an agent: it answers correctly if the prompt contains the lesson.
        .actor(actor_fn(|cx: TrialContext| async move {
            if cx.prompt().contains("both ends") { "from the first to the last" } else { "from the first" }
        }))
        .evaluator(check_fn(|answer: &str| if answer.contains("last") { Ok(()) } else { Err("The period has no end.") }))
        .reflector(LlmReflector::new(model_fn("writer", |_prompt| async {
            let lesson = r#"{"summary": "A month has an end.", "suggestions": ["Write both ends of the period."]}"#;
            Ok::<_, std::convert::Infallible>(lesson.to_owned())
        })))
        .long_term_memory(ReflectClient::from_env()?)
        .build()?;

    let outcome = learner.run(task).await?;

    eprintln!("{task}: {:?} in trial {}", outcome.stop, outcome.state.trials.len());
    for memory in &outcome.state.recalled {
        eprintln!("  was given {}: {}", memory.id, memory.text.replace('\n', " "));
    }
    for trial in &outcome.state.trials {
        let recorded = trial.recorded.clone().unwrap_or_default();
        eprintln!(
            "  trial {}: {}, trace {}",
            trial.number,
            trial.verdict,
            recorded.trace_id.unwrap_or_default()
        );
    }
    Ok(())
}
