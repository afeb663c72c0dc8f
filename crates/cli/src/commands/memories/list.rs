//! `reflect memories list`.

use std::time::SystemTime;

use clap::{Args, ValueEnum};
use reflect_api::{MemorySort, StoredMemory};

use crate::connection::Connection;
use crate::filter;
use crate::output::{Output, Table, age};

/// List memories as they are stored.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// Which memories, in the language of the console's filter bar: status:active,disabled origin:review pinned:true
    /// utility:<0.4 credit:>0.6 evidence:3 key:ID trace:ID since:7d until:1d, and words of the task or the lesson.
    #[arg(long, default_value = "")]
    filter: String,
    /// In which order.
    #[arg(long, value_enum, default_value_t = Sort::Newest)]
    sort: Sort,
    /// The most memories.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// All of them.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// These fields alone, between commas, such as id,summary,credit.
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
}

/// In which order memories are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The newest first.
    Newest,
    /// The highest utility first.
    Utility,
    /// The most evidence first.
    Evidence,
    /// What somebody should look at first.
    Attention,
    /// What did most harm first.
    Harm,
}

pub(crate) async fn run(arguments: List, output: &Output) -> anyhow::Result<()> {
    let mut wish = filter::of_memories(&arguments.filter, SystemTime::now())?;
    wish.sort = Some(match arguments.sort {
        Sort::Newest => MemorySort::Newest,
        Sort::Utility => MemorySort::Utility,
        Sort::Evidence => MemorySort::Evidence,
        Sort::Attention => MemorySort::Attention,
        Sort::Harm => MemorySort::Harm,
    });
    let client = arguments.connection.client()?;
    let most = if arguments.all { usize::MAX } else { arguments.limit as usize };
    let mut memories: Vec<StoredMemory> = Vec::new();
    while memories.len() < most {
        wish.limit = Some(u32::try_from(most - memories.len()).unwrap_or(100).min(100));
        let page = client.page_of_memories(&wish).await?;
        memories.extend(page.items);
        wish.cursor = page.next_cursor;
        if wish.cursor.is_none() {
            break;
        }
    }
    let output = output.choosing(arguments.fields.as_deref());
    output.list("memory.list/1", &memories, wish.cursor.as_deref(), || table(&memories))?;
    if wish.cursor.is_some() && !output.is_json() {
        output.say("There are more: --limit or --all shows them.");
    }
    if let Some(first) = memories.first() {
        output.next(&format!("reflect memories get {}", first.id));
    }
    Ok(())
}

fn table(memories: &[StoredMemory]) -> Table {
    let mut table = Table::new(&["ID", "?>AGE", "STATUS", ">UTIL", "?>CREDIT", "?>N", "~MEMORY"]);
    for memory in memories {
        let pinned = if memory.pinned { "pinned" } else { memory.status.as_str() };
        table.row(&[
            &memory.id.to_string(),
            &age(memory.created_at),
            pinned,
            &format!("{:.2}", memory.q_value),
            &format!("{:.2}", memory.credit),
            &memory.evidence.to_string(),
            lesson(memory),
        ]);
    }
    table
}

/// What it says in one line.
pub(super) fn lesson(memory: &StoredMemory) -> &str {
    if memory.summary.is_empty() { &memory.reflection } else { &memory.summary }
}
