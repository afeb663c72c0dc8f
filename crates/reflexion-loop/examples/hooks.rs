//! Observes a run with hooks and with events as lines of JSON. Run it with
//! `cargo run -p reflect-memory-reflexion-loop --example hooks`.

// In another program, use `tokio` directly.
extern crate tokio_lean as tokio;

use std::convert::Infallible;
use std::error::Error;

use async_trait::async_trait;
use reflexion_loop::{
    Evaluation, Hooks, LlmReflector, Reflexion, TrialContext, actor_fn, check_fn, model_fn,
};

struct Talkative;

#[async_trait]
impl Hooks for Talkative {
    async fn on_trial_start(&self, trial: u32) -> Result<(), Box<dyn Error + Send + Sync>> {
        eprintln!("trial {trial} begins");
        Ok(())
    }

    async fn on_reflection_generated(
        &self,
        trial: u32,
        reflection: &str,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        eprintln!("noted on trial {trial}: {reflection}");
        Ok(())
    }

    async fn on_trial_end(
        &self,
        trial: u32,
        evaluation: &Evaluation,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        eprintln!("trial {trial} ends: {}", evaluation.verdict);
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let learner = Reflexion::builder()
        .actor(actor_fn(|cx: TrialContext| async move {
            cx.delta("thinking … ");
            cx.tool_call("calculator", serde_json::json!({"expression": "6 * 7"}));
            if cx.notes().is_empty() { "41" } else { "42" }
        }))
        .evaluator(check_fn(|answer: &str| answer == "42"))
        .reflector(LlmReflector::new(model_fn("my-model", |_prompt| async {
            Ok::<_, Infallible>(r#"{"summary": "Believe the calculator."}"#.to_owned())
        })))
        .hooks(Talkative)
        .build()?;

    let mut run = learner.start("What is six times seven?");
    while let Some(envelope) = run.next_event().await {
        eprintln!("{}", envelope.json_line());
    }
    eprintln!("{:?}", run.outcome().await?.stop);
    Ok(())
}
