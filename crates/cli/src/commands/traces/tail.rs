//! `reflect traces tail`: asks every now and then for what is new. A stream that breaks would have to ask as well.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use clap::Args;
use reflect_api::TraceLine;
use reflect_sdk::ReflectClient;
use reflect_sdk::TraceFilter;
use reflect_types::TraceId;

use super::list::outcome;
use crate::connection::Connection;
use crate::filter;
use crate::output::{Output, plain_line};

/// Show runs as they come in.
#[derive(Debug, Args)]
pub(crate) struct Tail {
    #[command(flatten)]
    connection: Connection,
    /// Which runs, as in `traces list`.
    #[arg(long, default_value = "")]
    filter: String,
    /// How many of those that are there already are shown first.
    #[arg(short = 'n', long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    lines: u32,
    /// End after so many runs.
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// How often to ask, in seconds.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    every: u64,
}

pub(crate) async fn run(arguments: Tail, output: &Output) -> anyhow::Result<()> {
    let filter = filter::of_traces(&arguments.filter, SystemTime::now())?;
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

/// What was not there before, newest first. The first look goes no further back than one page.
async fn unseen(
    client: &ReflectClient,
    filter: &TraceFilter,
    seen: &mut HashSet<TraceId>,
) -> anyhow::Result<Vec<TraceLine>> {
    let only_one_page = seen.is_empty();
    let mut new = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = client.page_of_rows(filter, cursor.as_deref(), Some(100)).await?;
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
    let at = row.created_at.format("%H:%M:%S");
    output.line(&format!("{at}  {}  {:<7}  {}", row.id, outcome(row), plain_line(&row.task)))
}
