//! `reflect traces list`.

use clap::Args;
use reflect_api::TraceLine;
use reflect_sdk::TraceFilter;
use reflect_types::IngestStatus;

use crate::arguments::length::Length;
use crate::connection::Connection;
use crate::output::{Output, Table, age};

/// List runs, newest first.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// A filter, as in the console: status:pending result:fail learning:failed error:true model:gpt-5* mem:ID since:7d
    /// until:1d, and words of the task or the answer.
    #[arg(long, default_value = "")]
    filter: String,
    #[command(flatten)]
    length: Length,
    /// Show only these fields, separated by commas, such as id,task,result.
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
}

pub(crate) async fn run(arguments: List, output: &Output) -> anyhow::Result<()> {
    let filter = TraceFilter { q: Some(arguments.filter.clone()), ..TraceFilter::default() };
    let client = arguments.connection.client()?;
    let fetch = async |limit, cursor: Option<String>| {
        client.traces.page_of_rows(&filter, cursor.as_deref(), Some(limit)).await
    };
    let (rows, rest) = arguments.length.pages(fetch).await?;
    let output = output.with_fields(arguments.fields.as_deref());
    output.list("trace.list/1", &rows, rest.as_deref(), || table(&rows))?;
    if rest.is_some() && !output.is_json() {
        output.say("There are more runs. Use --limit or --all to see them.");
    }
    match rows.first() {
        Some(first) => output.next(&format!("reflect traces get {}", first.id)),
        None if arguments.filter.is_empty() => output.next("reflect traces submit --task … --answer …"),
        None => {}
    }
    Ok(())
}

fn table(rows: &[TraceLine]) -> Table {
    let mut table = Table::new(&["#ID", ">AGE", "RESULT", "?>ERR", "?>MEM", "~TASK", "?~MODEL"]);
    for row in rows {
        // Shown only if learning failed.
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

/// The verdict, or `pending`.
pub(super) fn outcome(row: &TraceLine) -> &'static str {
    row.result.map_or("pending", |result| result.as_str())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use chrono::{DateTime, Utc};
    use serde_json::json;

    use super::*;

    fn row(number: u32, age: u64, more: serde_json::Value) -> TraceLine {
        let created_at: DateTime<Utc> = (SystemTime::now() - Duration::from_secs(age)).into();
        let mut row = json!({
            "id": format!("01a1dd7e-3e{number:02}-72ee-8967-c21adbd96373"), "created_at": created_at, "task": "",
            "result": null, "reviewer": null, "review_status": "pending", "ingest_status": "completed", "messages": 2,
            "errors": null, "memories": 0, "created_memory_id": null, "model": null, "latency_ms": null, "tokens": null,
        });
        row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn the_table_of_runs() {
        let rows = [
            row(
                1,
                95,
                json!({ "task": "Refund order 1182,\nthe item arrived broken", "model": "gpt-5", "errors": 2 }),
            ),
            row(
                2,
                7_500,
                json!({
                    "task": "Book a meeting", "result": "fail", "review_status": "reviewed", "ingest_status": "failed",
                    "memories": 3, "errors": 0,
                }),
            ),
            row(3, 400_000, json!({ "task": "A\u{1b}[2J b", "result": "pass", "review_status": "reviewed" })),
        ];

        insta::assert_snapshot!("traces_in_a_pipe", table(&rows).text(None, false));
        insta::assert_snapshot!("traces_on_a_terminal", table(&rows).text(Some(80), false));
    }
}
