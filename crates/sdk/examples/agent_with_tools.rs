//! An agent with two tools and a model of your choice, tried again with what its failures taught.
//!
//! The model is any server that speaks OpenAI's protocol. With the small one of this repository:
//!
//! ```text
//! cargo xtask llm &
//! MODEL_URL=http://127.0.0.1:54331/v1 cargo run -p reflect-memory-client --features reflexion-loop --example agent_with_tools
//! ```

// In a program of your own this is tokio itself.
extern crate sdk_tokio as tokio;

use std::sync::Arc;
use std::time::Duration;

use reflect_model::{ChatMessage, ChatRequest, ModelError, Remedy, TextModel, TextModelExt, Usage};
use reflect_model_providers::{ProviderKind, ProviderSettings, ProviderText};
use reflexion_loop::{Attempt, Budget, Event, Options, Reflexion, TrialContext, actor_fn, check_fn};
use serde_json::{Value, json};

const TASK: &str = "What do 6 lamps cost together, in euros?";
const RULES: &str = "You answer questions about a shop. Each of your replies does one thing: it looks up the price of an \
                     item (`price` with `item`), it multiplies (`multiply` with `a` and `b`), or it answers (`answer` \
                     with `text`). Look the price up, multiply, then answer.";
const MOST_STEPS: usize = 4;

/// What the model may do next. Servers that can, hold it to this shape; texts have an end, because a small model finds none.
#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Move {
    Price {
        #[schemars(length(max = 30))]
        item: String,
    },
    Multiply {
        a: i32,
        b: i32,
    },
    Answer {
        #[schemars(length(max = 60))]
        text: String,
    },
}

/// The two tools.
fn use_tool(step: &Move) -> Option<(&'static str, Value)> {
    match step {
        Move::Price { item } if item.to_lowercase().contains("lamp") => Some(("price", json!(12))),
        Move::Price { item } => Some(("price", json!(format!("there is no {item} in this shop")))),
        Move::Multiply { a, b } => Some(("multiply", json!(i64::from(*a) * i64::from(*b)))),
        Move::Answer { .. } => None,
    }
}

async fn attempt(model: Arc<dyn TextModel>, cx: TrialContext) -> Result<Attempt, ModelError> {
    let mut said = vec![ChatMessage::system(RULES), ChatMessage::user(cx.prompt())];
    let mut trajectory = vec![json!({ "role": "user", "content": cx.task().text })];
    let (mut usage, mut calls) = (Usage::default(), 0);
    for _ in 0..MOST_STEPS {
        let request =
            ChatRequest { max_tokens: Some(60), temperature: Some(0.0), ..ChatRequest::new(said.clone()) };
        let next = match model.structured::<Move>(request).await {
            Ok(next) => next,
            // A model that cannot say what it wants has failed the task. One that is away has not.
            Err(failed) if failed.error.remedy == Remedy::Unreadable => {
                let unclear = Attempt::default().failed("what you wanted to do could not be read");
                usage += failed.usage;
                calls += failed.calls;
                return Ok(unclear.with_trajectory(trajectory).with_usage(usage).with_calls(calls));
            }
            Err(failed) => return Err(failed.error),
        };
        usage += next.usage;
        calls += next.calls;
        let written = serde_json::to_value(&next.value).unwrap_or_default();
        let Some((name, result)) = use_tool(&next.value) else {
            let Move::Answer { text } = next.value else { continue };
            trajectory.push(json!({ "role": "assistant", "content": text }));
            return Ok(Attempt::from(text).with_trajectory(trajectory).with_usage(usage).with_calls(calls));
        };
        cx.tool_call(name, written.clone());
        cx.tool_result(name, result.clone());
        trajectory.push(json!({ "role": "assistant", "content": "", "tool_calls": [{ "name": name, "arguments": written }] }));
        trajectory.push(json!({ "role": "tool", "name": name, "content": result.to_string() }));
        said.push(ChatMessage::assistant(written.to_string()));
        said.push(ChatMessage::user(format!("The tool says: {result}. What next?")));
    }
    // An agent that runs out of steps has failed; the program has not.
    let stuck = Attempt::default().failed(format!("no answer after {MOST_STEPS} steps"));
    Ok(stuck.with_trajectory(trajectory).with_usage(usage).with_calls(calls))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut settings =
        ProviderSettings::new(ProviderKind::OpenAi, variable("MODEL_NAME").unwrap_or("any".into()));
    settings.base_url =
        Some(variable("MODEL_URL").ok_or("set MODEL_URL, such as http://127.0.0.1:54331/v1")?);
    settings.api_key = variable("MODEL_KEY").map(Into::into);
    let model: Arc<dyn TextModel> = Arc::new(ProviderText::connect(&settings)?);

    let acting = Arc::clone(&model);
    let learner = Reflexion::builder()
        .actor(actor_fn(move |cx| attempt(Arc::clone(&acting), cx)))
        .evaluator(check_fn(
            |answer: &str| if answer.contains("72") { Ok(()) } else { Err("That is not the sum.") },
        ))
        .model(model)
        .options(Options {
            max_trials: 2,
            budget: Budget { time: Some(Duration::from_secs(120)), ..Budget::default() },
            ..Options::default()
        })
        .build()?;

    let mut run = learner.start(TASK);
    while let Some(envelope) = run.next_event().await {
        match envelope.event {
            Event::ToolCall { name, arguments, .. } => eprintln!("  {name} {arguments}"),
            Event::ToolResult { result, .. } => eprintln!("    -> {result}"),
            Event::ReflectionGenerated { reflection, .. } => eprintln!("  noted: {reflection}"),
            Event::TrialEnd { trial_number, verdict, .. } => eprintln!("trial {trial_number}: {verdict}"),
            _ => {}
        }
    }
    let outcome = run.outcome().await?;
    let spent = &outcome.state.spent;
    eprintln!(
        "{:?}: {:?} after {} calls and {} tokens",
        outcome.stop,
        outcome.answer().unwrap_or_default(),
        spent.calls,
        spent.usage.input_tokens + spent.usage.output_tokens
    );
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a program is set up by its environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
