//! `reflect traces get`.

use std::time::Duration;

use clap::Args;
use reflect_api::{Trace, TraceSteps};
use reflect_types::TraceId;

use crate::commands::ids::id;
use crate::connection::Connection;
use crate::output::{Output, plain, plain_line};

/// Show one run.
#[derive(Debug, Args)]
pub(crate) struct Get {
    #[command(flatten)]
    connection: Connection,
    /// The run.
    #[arg(value_name = "TRACE", value_parser = id::<TraceId>)]
    trace: TraceId,
    /// Its steps, whatever form its messages have.
    #[arg(long)]
    steps: bool,
    /// Wait until its review has become a memory, for so many seconds at the most.
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

pub(crate) async fn run(arguments: Get, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let trace = match arguments.wait {
        Some(seconds) => client.wait_for_trace(arguments.trace, true, Duration::from_secs(seconds)).await?,
        None => client.get_trace(arguments.trace).await?,
    };
    if output.is_json() && !arguments.steps {
        return output.item("trace.get/1", &trace, String::new);
    }
    let mut steps = client.get_steps(arguments.trace, 0, None).await?;
    while steps.to < steps.total {
        let more = client.get_steps(arguments.trace, steps.to, None).await?;
        if more.to <= steps.to {
            break;
        }
        steps.to = more.to;
        steps.steps.extend(more.steps);
    }
    output.item("trace.steps/1", &steps, || described(&trace, &steps, arguments.steps))?;
    match &trace.created_memory_id {
        Some(memory) => output.next(&format!("reflect memories get {memory}")),
        None if trace.review.is_none() => {
            output.next(&format!("reflect review {} --pass, or --fail -m 'what was wrong'", trace.id));
        }
        None => {}
    }
    Ok(())
}

fn described(trace: &Trace, steps: &TraceSteps, whole: bool) -> String {
    let mut text =
        format!("Trace     {}\nStored    {}\n", trace.id, trace.created_at.format("%Y-%m-%d %H:%M:%S UTC"));
    if let Some(model) = &trace.model {
        text.push_str(&format!("Model     {}\n", plain_line(model)));
    }
    let review = trace.review.as_ref().map_or("pending".to_owned(), |review| {
        let words = review.feedback_text.as_deref().map(|words| format!(": {}", plain_line(words)));
        format!("{} by {}{}", review.result, plain_line(&review.reviewer), words.unwrap_or_default())
    });
    text.push_str(&format!("Review    {review}\n"));
    // Before a review there is nothing to learn, and a status of learning would only puzzle.
    if trace.review.is_some() {
        let error = trace.last_ingest_error.as_ref().map(|error| format!(" ({})", plain_line(error)));
        text.push_str(&format!("Learning  {}{}\n", trace.ingest_status, error.unwrap_or_default()));
    }
    if let Some(memory) = &trace.created_memory_id {
        text.push_str(&format!("Memory    {memory}\n"));
    }
    text.push_str(&format!("Had       {} memories ({})\n", trace.linked_memory_ids.len(), trace.link));
    text.push_str(&format!(
        "\nTask\n{}\n\nAnswer\n{}\n",
        indented(&trace.task),
        indented(&trace.final_response)
    ));
    text.push_str(&format!("\nSteps ({}, {} failed)\n", steps.total, steps.failed.len()));
    for step in &steps.steps {
        let mark = if step.failed { "!" } else { " " };
        let kind = serde_json::to_value(step.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let kind = kind.unwrap_or_default();
        text.push_str(&format!("{mark} {:>4}  {kind:<11}  {}\n", step.n + 1, plain_line(&step.title)));
        for part in step.parts.iter().filter(|_| whole) {
            let shown = part.text.as_deref().or(part.head.as_deref()).unwrap_or_default();
            text.push_str(&format!("{}\n", indented(shown)));
        }
    }
    text
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = plain(text).lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}
