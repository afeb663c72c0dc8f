//! `reflect traces submit`: records one run, from a file or from flags.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use reflect_api::CreateTrace;
use reflect_sdk::{Message, NewTrace, ReviewVerdict};
use reflect_types::{MemoryId, ReviewResult};

use super::body::decode_run;
use crate::arguments::ids::{IdArgument, id};
use crate::arguments::pairs::Pair;
use crate::arguments::resolve::resolve_all;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::Output;

/// Record one run.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["file", "task"])))]
pub(crate) struct Submit {
    #[command(flatten)]
    connection: Connection,
    /// A JSON file with the body of POST …/traces, or - for standard input.
    file: Option<String>,
    /// The task of the agent.
    #[arg(long, requires = "answer")]
    task: Option<String>,
    /// The answer of the agent.
    #[arg(long, requires = "task")]
    answer: Option<String>,
    /// The model that the agent used.
    #[arg(long, requires = "task")]
    model: Option<String>,
    /// Metadata to filter by. Repeatable.
    #[arg(long, requires = "task", value_name = "NAME=VALUE")]
    metadata: Vec<Pair>,
    /// The id of a memory that the agent was shown. Repeatable.
    #[arg(long, requires = "task", value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memory: Vec<IdArgument<MemoryId>>,
    /// Review the run as passed.
    #[arg(long, conflicts_with = "fail")]
    pass: bool,
    /// Review the run as failed.
    #[arg(long, requires = "message")]
    fail: bool,
    /// Feedback: what was right or wrong.
    #[arg(short, long)]
    message: Option<String>,
    /// Wait until the lesson is written, at most this many seconds.
    #[arg(long, value_name = "SECONDS")]
    wait: Option<u64>,
}

pub(crate) async fn run(mut arguments: Submit, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let wait = arguments.wait;
    let memories = resolve_all(std::mem::take(&mut arguments.memory), &client).await?;
    let trace = built(arguments, memories)?;
    let id = trace.trace_id();
    let submission = client.traces.create(trace).await?;
    if let Some(seconds) = wait {
        client.traces.wait_for(id, true, Duration::from_secs(seconds)).await?;
    }
    output.item("trace.submit/1", &submission, || id.to_string())?;
    output.next(&format!("reflect traces get {id}"));
    Ok(())
}

fn built(arguments: Submit, memories: Vec<MemoryId>) -> anyhow::Result<NewTrace> {
    let mut trace = match (arguments.file, arguments.task, arguments.answer) {
        (Some(file), ..) => NewTrace::from_body(read(&file)?),
        (None, Some(task), Some(answer)) => NewTrace::new(task, [Message::assistant(answer)]),
        _ => return Err(Failure::usage("add a file, or --task and --answer").into()),
    };
    if let Some(model) = arguments.model {
        trace = trace.model(model);
    }
    for Pair { name, value } in arguments.metadata {
        trace = trace.metadata(name, value);
    }
    if !memories.is_empty() {
        trace = trace.retrieved_memory_ids(memories);
    }
    let result = match (arguments.pass, arguments.fail) {
        (true, _) => Some(ReviewResult::Pass),
        (_, true) => Some(ReviewResult::Fail),
        _ => None,
    };
    if result.is_none() && arguments.message.is_some() {
        return Err(Failure::usage("--message needs --pass or --fail").into());
    }
    if let Some(result) = result {
        let verdict = arguments.message.into_iter().fold(ReviewVerdict::new(result), ReviewVerdict::feedback);
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
    let run = decode_run(text.as_bytes());
    Ok(run.map_err(|why| Failure::usage(format!("{file} does not contain a valid run: {why}")))?)
}
