//! `reflect traces submit`: one run, from a file or from what is typed.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use reflect_api::CreateTrace;
use reflect_sdk::{Message, NewTrace, Verdict};
use reflect_types::{MemoryId, ReviewResult};

use crate::commands::ids::id;
use crate::commands::pairs::Pair;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::Output;

/// Record one run.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["file", "task"])))]
pub(crate) struct Submit {
    #[command(flatten)]
    connection: Connection,
    /// A file with the run as JSON, as POST …/traces takes it; - reads it from stdin.
    file: Option<String>,
    /// What the agent was asked to do.
    #[arg(long, requires = "answer")]
    task: Option<String>,
    /// What it answered.
    #[arg(long, requires = "task")]
    answer: Option<String>,
    /// The model that ran.
    #[arg(long, requires = "task")]
    model: Option<String>,
    /// Something worth filtering by; may be given several times.
    #[arg(long, requires = "task", value_name = "NAME=VALUE")]
    metadata: Vec<Pair>,
    /// A memory that the agent was shown; may be given several times.
    #[arg(long, requires = "task", value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memory: Vec<MemoryId>,
    /// It did what it was asked to do.
    #[arg(long, conflicts_with = "fail")]
    pass: bool,
    /// It did not.
    #[arg(long, requires = "message")]
    fail: bool,
    /// What was right or wrong, in words.
    #[arg(short, long)]
    message: Option<String>,
    /// Wait until the verdict has become a memory, for so many seconds at the most.
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

pub(crate) async fn run(arguments: Submit, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let wait = arguments.wait;
    let trace = built(arguments)?;
    let id = trace.trace_id();
    let submission = client.create_trace(trace).await?;
    if let Some(seconds) = wait {
        client.wait_for_trace(id, true, Duration::from_secs(seconds)).await?;
    }
    output.item("trace.submit/1", &submission, || id.to_string())?;
    output.next(&format!("reflect traces get {id}"));
    Ok(())
}

fn built(arguments: Submit) -> anyhow::Result<NewTrace> {
    let mut trace = match (arguments.file, arguments.task, arguments.answer) {
        (Some(file), ..) => NewTrace::from_body(read(&file)?),
        (None, Some(task), Some(answer)) => NewTrace::new(task, [Message::assistant(answer)]),
        _ => return Err(Failure::usage("a run needs a file, or --task and --answer").into()),
    };
    if let Some(model) = arguments.model {
        trace = trace.model(model);
    }
    for Pair { name, value } in arguments.metadata {
        trace = trace.metadata(name, value);
    }
    if !arguments.memory.is_empty() {
        trace = trace.retrieved_memory_ids(arguments.memory);
    }
    let result = match (arguments.pass, arguments.fail) {
        (true, _) => Some(ReviewResult::Pass),
        (_, true) => Some(ReviewResult::Fail),
        _ => None,
    };
    if result.is_none() && arguments.message.is_some() {
        return Err(Failure::usage("--message goes with --pass or --fail").into());
    }
    if let Some(result) = result {
        let verdict = arguments.message.into_iter().fold(Verdict::new(result), Verdict::feedback);
        trace = trace.review(verdict);
    }
    Ok(trace)
}

fn read(file: &str) -> anyhow::Result<CreateTrace> {
    let text = if file == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read stdin")?;
        text
    } else {
        std::fs::read_to_string(Path::new(file)).with_context(|| format!("cannot read {file}"))?
    };
    Ok(serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{file} holds no run: {error}")))?)
}
