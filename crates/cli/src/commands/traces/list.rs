//! `reflect traces list`.

use std::time::SystemTime;

use clap::Args;
use reflect_api::TraceLine;
use reflect_types::IngestStatus;

use crate::connection::Connection;
use crate::filter;
use crate::output::{Output, Table, age};

/// List runs, newest first.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// Which runs, in the language of the console's filter bar: status:pending result:fail learning:failed error:true
    /// model:gpt-5* mem:ID since:7d until:1d, and words of the task or the answer.
    #[arg(long, default_value = "")]
    filter: String,
    /// The most runs.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// All of them.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// These fields alone, between commas, such as id,task,result.
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
}

pub(crate) async fn run(arguments: List, output: &Output) -> anyhow::Result<()> {
    let filter = filter::of_traces(&arguments.filter, SystemTime::now())?;
    let client = arguments.connection.client()?;
    let most = if arguments.all { usize::MAX } else { arguments.limit as usize };
    let mut rows: Vec<TraceLine> = Vec::new();
    let mut cursor: Option<String> = None;
    while rows.len() < most {
        let wanted = u32::try_from(most - rows.len()).unwrap_or(100).min(100);
        let page = client.page_of_rows(&filter, cursor.as_deref(), Some(wanted)).await?;
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let output = output.choosing(arguments.fields.as_deref());
    output.list("trace.list/1", &rows, cursor.as_deref(), || table(&rows))?;
    if cursor.is_some() && !output.is_json() {
        output.say("There are more: --limit or --all shows them.");
    }
    match rows.first() {
        Some(first) => output.next(&format!("reflect traces get {}", first.id)),
        None if arguments.filter.is_empty() => output.next("reflect traces submit --task … --answer …"),
        None => {}
    }
    Ok(())
}

fn table(rows: &[TraceLine]) -> Table {
    let mut table = Table::new(&["ID", ">AGE", "RESULT", "?>ERR", "?>MEM", "~TASK", "?~MODEL"]);
    for row in rows {
        // Learning is worth a word where it went wrong.
        let unlearned = if row.ingest_status == IngestStatus::Failed { ", not learned" } else { "" };
        table.row(&[
            &row.id.to_string(),
            &age(row.created_at),
            &format!("{}{unlearned}", outcome(row)),
            &row.errors.map_or("-".to_owned(), |errors| errors.to_string()),
            &row.memories.to_string(),
            &row.task,
            row.model.as_deref().unwrap_or("-"),
        ]);
    }
    table
}

/// The verdict, or that it is waited for.
pub(super) fn outcome(row: &TraceLine) -> &'static str {
    row.result.map_or("pending", |result| result.as_str())
}
