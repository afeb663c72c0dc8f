//! `reflect traces`: runs of agents.

mod body;
mod export;
mod get;
mod identity;
mod import;
mod list;
mod submit;
mod tail;

use clap::{Args, Subcommand};
use reflect_sdk::TraceFilter;
use reflect_types::{IngestStatus, TraceId};

use crate::arguments::ids::{IdArgument, id};
use crate::arguments::resolve::resolve_all;
use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, counted};

/// List, show, record, import, export and delete runs.
#[derive(Debug, Subcommand)]
pub(crate) enum Traces {
    /// List runs, newest first.
    List(list::List),
    /// Show one run.
    Get(get::Get),
    /// Show new runs as they arrive.
    Tail(tail::Tail),
    /// Record one run.
    Submit(submit::Submit),
    /// Retry learning from runs whose learning failed.
    Retry(Retry),
    /// Delete runs with their reviews. Memories made from them stay.
    Delete(Delete),
    /// Record runs from a file with one JSON object per line. Repeating it stores nothing twice.
    Import(import::Import),
    /// Export runs, one JSON object per line.
    Export(export::Export),
}

#[derive(Debug, Args)]
pub(crate) struct Retry {
    #[command(flatten)]
    connection: Connection,
    /// The trace ids of the runs.
    #[arg(required_unless_present = "failed", value_name = "TRACE", value_parser = id::<TraceId>)]
    traces: Vec<IdArgument<TraceId>>,
    /// All runs whose learning failed.
    #[arg(long, conflicts_with = "traces")]
    failed: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    connection: Connection,
    /// The trace ids of the runs.
    #[arg(required = true, value_name = "TRACE", value_parser = id::<TraceId>)]
    traces: Vec<IdArgument<TraceId>>,
}

pub(crate) async fn run(traces: Traces, output: &Output) -> anyhow::Result<()> {
    match traces {
        Traces::List(arguments) => list::run(arguments, output).await,
        Traces::Get(arguments) => get::run(arguments, output).await,
        Traces::Tail(arguments) => tail::run(arguments, output).await,
        Traces::Submit(arguments) => submit::run(arguments, output).await,
        Traces::Retry(arguments) => retry(arguments, output).await,
        Traces::Delete(arguments) => delete(arguments, output).await,
        Traces::Import(arguments) => import::run(arguments, output).await,
        Traces::Export(arguments) => export::run(arguments, output).await,
    }
}

async fn retry(arguments: Retry, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let mut traces = resolve_all(arguments.traces, &client).await?;
    if arguments.failed {
        let filter = TraceFilter { ingest_status: Some(IngestStatus::Failed), ..TraceFilter::default() };
        let mut rows = client.traces.iter_rows(filter);
        while let Some(row) = rows.next().await {
            traces.push(row?.id);
        }
    }
    let mut items = Vec::with_capacity(traces.len());
    let mut table = Table::new(&["#ID", "LEARNING"]);
    for trace in &traces {
        let retried = client.traces.retry(*trace).await?;
        table.row(&[&retried.id.to_string(), retried.ingest_status.as_str()]);
        items.push(serde_json::json!({ "id": retried.id, "ingest_status": retried.ingest_status }));
    }
    output.list("trace.retry/1", &items, None, || table)?;
    output.next("reflect traces list --filter learning:failed");
    Ok(())
}

async fn delete(arguments: Delete, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let traces = resolve_all(arguments.traces, &client).await?;
    let what = counted(traces.len(), "run");
    output
        .prompt
        .confirm(&format!("Delete {what} of project {}? This cannot be undone.", client.project_id()))?;
    let gone = client.traces.delete(&traces).await?;
    output.item("trace.delete/1", &gone, || format!("Deleted {}.", counted(gone.trace_ids.len(), "run")))?;
    if gone.deleted == 0 {
        return Err(Failure::new(Kind::Api, "not_found", "none of these runs exists").into());
    }
    Ok(())
}
