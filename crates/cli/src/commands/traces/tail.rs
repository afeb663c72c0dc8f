//! `reflect traces tail`: polls for new runs.

use std::collections::HashSet;
use std::time::Duration;

use clap::Args;
use reflect_api::TraceLine;
use reflect_sdk::ReflectClient;
use reflect_sdk::TraceFilter;
use reflect_types::TraceId;

use super::list::outcome;
use crate::connection::Connection;
use crate::output::{Output, clipped, plain_line};

/// Enough to tell the runs of a millisecond apart.
const SHORT_ID_CHARS: usize = 18;

/// Show new runs as they arrive.
#[derive(Debug, Args)]
pub(crate) struct Tail {
    #[command(flatten)]
    connection: Connection,
    /// A filter, as in `traces list`.
    #[arg(long, default_value = "")]
    filter: String,
    /// How many existing runs to show first.
    #[arg(short = 'n', long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    lines: u32,
    /// Stop after this many runs.
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// The polling interval in seconds.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
}

pub(crate) async fn run(arguments: Tail, output: &Output) -> anyhow::Result<()> {
    let filter = TraceFilter { q: Some(arguments.filter.clone()), ..TraceFilter::default() };
    let client = arguments.connection.client()?;
    let mut seen = HashSet::new();
    let mut shown = 0;
    let mut first = true;
    loop {
        let mut rows = unseen(&client, &filter, &mut seen).await?;
        if first {
            rows.truncate(arguments.lines as usize);
            first = false;
        }
        for row in rows.iter().rev() {
            show(row, output)?;
            shown += 1;
            if arguments.count.is_some_and(|count| shown >= count) {
                return Ok(());
            }
        }
        tokio::time::sleep(Duration::from_secs(arguments.every)).await;
    }
}

/// New runs, newest first. The first call reads only one page.
async fn unseen(
    client: &ReflectClient,
    filter: &TraceFilter,
    seen: &mut HashSet<TraceId>,
) -> anyhow::Result<Vec<TraceLine>> {
    let only_one_page = seen.is_empty();
    let mut new = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = client.traces.page_of_rows(filter, cursor.as_deref(), Some(100)).await?;
        let before = new.len();
        let met = page.items.iter().any(|row| seen.contains(&row.id));
        new.extend(page.items.into_iter().filter(|row| seen.insert(row.id)));
        cursor = page.next_cursor;
        if met || only_one_page || cursor.is_none() || new.len() == before {
            return Ok(new);
        }
    }
}

fn show(row: &TraceLine, output: &Output) -> anyhow::Result<()> {
    if output.is_json() {
        return output.json_line(row);
    }
    output.line(&line(row, output.terminal.width()))
}

/// One line, which fits a terminal.
fn line(row: &TraceLine, width: Option<u16>) -> String {
    let (at, id) = (row.created_at.format("%H:%M:%S"), row.id.to_string());
    // Later rows are not known, so the id is longer than in a list.
    let id = if width.is_some() { &id[..SHORT_ID_CHARS] } else { &id };
    let start = format!("{at}  {id}  {:<7}  ", outcome(row));
    match width {
        Some(width) => {
            format!("{start}{}", clipped(&row.task, usize::from(width).saturating_sub(start.len())))
        }
        None => format!("{start}{}", plain_line(&row.task)),
    }
}
