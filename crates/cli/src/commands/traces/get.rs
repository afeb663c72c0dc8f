//! `reflect traces get`.

use std::time::Duration;

use clap::Args;
use reflect_api::{Trace, TraceSteps};
use reflect_types::TraceId;

use crate::arguments::ids::{IdArgument, id};
use crate::connection::Connection;
use crate::output::{Output, hanging, indented};

/// Show one run.
#[derive(Debug, Args)]
pub(crate) struct Get {
    #[command(flatten)]
    connection: Connection,
    /// The trace id of the run.
    #[arg(value_name = "TRACE", value_parser = id::<TraceId>)]
    trace: IdArgument<TraceId>,
    /// Show the content of every step.
    #[arg(long)]
    steps: bool,
    /// Wait until the lesson of its review is written, at most this many seconds.
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

pub(crate) async fn run(arguments: Get, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let id = arguments.trace.resolve(&client).await?;
    let trace = match arguments.wait {
        Some(seconds) => client.traces.wait_for(id, true, Duration::from_secs(seconds)).await?,
        None => client.traces.get(id).await?,
    };
    if output.is_json() && !arguments.steps {
        return output.item("trace.get/1", &trace, String::new);
    }
    let mut steps = client.traces.steps(id, 0, None).await?;
    while steps.to < steps.total {
        let more = client.traces.steps(id, steps.to, None).await?;
        if more.to <= steps.to {
            break;
        }
        steps.to = more.to;
        steps.steps.extend(more.steps);
    }
    output.item("trace.steps/1", &steps, || {
        described(&trace, &steps, arguments.steps, output.terminal.width())
    })?;
    match &trace.created_memory_id {
        Some(memory) => output.next(&format!("reflect memories get {memory}")),
        None if trace.review.is_none() => {
            output.next(&format!("reflect review {} --pass, or --fail -m 'what was wrong'", trace.id));
        }
        None => {}
    }
    Ok(())
}

fn described(trace: &Trace, steps: &TraceSteps, whole: bool, width: Option<u16>) -> String {
    let line = |name: &str, text: &str| format!("{}\n", hanging(&format!("{name:<10}"), text, 10, width));
    let mut text =
        format!("Trace     {}\nStored    {}\n", trace.id, trace.created_at.format("%Y-%m-%d %H:%M:%S UTC"));
    if let Some(model) = &trace.model {
        text.push_str(&line("Model", model));
    }
    let review = trace.review.as_ref().map_or("pending".to_owned(), |review| {
        let words = review.feedback_text.as_deref().map(|words| format!(": {words}"));
        format!("{} by {}{}", review.result, review.reviewer, words.unwrap_or_default())
    });
    text.push_str(&line("Review", &review));
    // Without a review nothing is learned, so the status would confuse.
    if trace.review.is_some() {
        let error = trace.last_ingest_error.as_ref().map(|error| format!(" ({error})"));
        text.push_str(&line("Learning", &format!("{}{}", trace.ingest_status, error.unwrap_or_default())));
    }
    if let Some(memory) = &trace.created_memory_id {
        text.push_str(&format!("Memory    {memory}\n"));
    }
    text.push_str(&format!("Had       {} memories ({})\n", trace.linked_memory_ids.len(), trace.link));
    text.push_str(&format!(
        "\nTask\n{}\n\nAnswer\n{}\n",
        indented(&trace.task, width),
        indented(&trace.final_response, width)
    ));
    text.push_str(&format!("\nSteps ({}, {} failed)\n", steps.total, steps.failed.len()));
    for step in &steps.steps {
        let mark = if step.failed { "!" } else { " " };
        let kind = serde_json::to_value(step.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let kind = kind.unwrap_or_default();
        let before = format!("{mark} {:>4}  {kind:<11}  ", step.n + 1);
        text.push_str(&format!("{}\n", hanging(&before, &step.title, 21, width)));
        for part in step.parts.iter().filter(|_| whole) {
            let shown = part.text.as_deref().or(part.head.as_deref()).unwrap_or_default();
            text.push_str(&format!("{}\n", indented(shown, width)));
        }
    }
    text
}
