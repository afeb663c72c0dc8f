//! `reflect memories list`.

use clap::{Args, ValueEnum};
use reflect_api::{ListMemories, MemorySort, StoredMemory};

use crate::arguments::length::Length;
use crate::connection::Connection;
use crate::output::{Output, Table, age};

/// List memories as they are stored.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// A filter, as in the console: status:active,disabled origin:review pinned:true utility:<0.4 credit:>0.6 evidence:3
    /// lesson:ID superseded:true key:ID trace:ID since:7d until:1d, and words of the task or the lesson.
    #[arg(long, default_value = "")]
    filter: String,
    /// The order.
    #[arg(long, value_enum, default_value_t = Sort::Newest)]
    sort: Sort,
    #[command(flatten)]
    length: Length,
    /// Show only these fields, separated by commas, such as id,summary,credit.
    #[arg(long, value_name = "FIELDS")]
    fields: Option<String>,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Newest first.
    Newest,
    /// Highest utility first.
    Utility,
    /// Most evidence first.
    Evidence,
    /// What needs attention first.
    Attention,
    /// Most harmful first.
    Harm,
}

impl Sort {
    pub(crate) const fn wire(self) -> MemorySort {
        match self {
            Self::Newest => MemorySort::Newest,
            Self::Utility => MemorySort::Utility,
            Self::Evidence => MemorySort::Evidence,
            Self::Attention => MemorySort::Attention,
            Self::Harm => MemorySort::Harm,
        }
    }
}

pub(crate) async fn run(arguments: List, output: &Output) -> anyhow::Result<()> {
    let mut request = ListMemories { q: Some(arguments.filter), ..ListMemories::default() };
    request.sort = Some(arguments.sort.wire());
    let client = arguments.connection.client()?;
    let fetch = async |limit, cursor| {
        (request.limit, request.cursor) = (Some(limit), cursor);
        client.memories.page(&request).await
    };
    let (memories, rest) = arguments.length.pages(fetch).await?;
    let output = output.with_fields(arguments.fields.as_deref());
    output.list("memory.list/1", &memories, rest.as_deref(), || table(&memories))?;
    if rest.is_some() && !output.is_json() {
        output.say("There are more memories. Use --limit or --all to see them.");
    }
    if let Some(first) = memories.first() {
        output.next(&format!("reflect memories get {}", first.id));
    }
    Ok(())
}

fn table(memories: &[StoredMemory]) -> Table {
    let mut table = Table::new(&["#ID", "?>AGE", "STATUS", ">UTIL", "?>CREDIT", "?>N", "~MEMORY"]);
    for memory in memories {
        let pinned = if memory.pinned { "pinned" } else { memory.status.as_str() };
        table.row(&[
            &memory.id.to_string(),
            &age(memory.created_at),
            pinned,
            &format!("{:.2}", memory.utility),
            &format!("{:.2}", memory.credit),
            &memory.evidence.to_string(),
            lesson(memory),
        ]);
    }
    table
}

/// The lesson in one line.
pub(super) fn lesson(memory: &StoredMemory) -> &str {
    if memory.summary.is_empty() { &memory.reflection } else { &memory.summary }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use chrono::{DateTime, Utc};
    use serde_json::json;

    use super::*;

    fn memory(number: u32, age: u64, more: serde_json::Value) -> StoredMemory {
        let created_at: DateTime<Utc> = (SystemTime::now() - Duration::from_secs(age)).into();
        let mut memory = json!({
            "id": format!("01a1dd7e-3e{number:02}-72ee-8967-c21adbd96373"), "status": "active", "quarantined": false,
            "flags": [], "pinned": false, "merged_into": null, "task": "t", "reflection": "r", "summary": "",
            "guidance": "", "key_mistake": "", "correct_action": "", "applicable_tools": [], "tools_used": [],
            "metadata": {}, "version": 1, "utility": 0.5, "q_value": 0.5, "credit": 0.5, "evidence": 0, "credit_interval": [0.1, 0.9],
            "reviews": 0, "passes": 0, "last_used": null, "success": null, "origin": "review",
            "source_trace_id": null, "source_review_id": null, "author_key_id": null, "trust": "normal",
            "model": null, "prompt_version": null, "note": null, "created_at": created_at,
        });
        memory.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(memory).unwrap()
    }

    #[test]
    fn the_table_of_memories() {
        let memories = [
            memory(
                1,
                95,
                json!({ "summary": "Look the price up before you promise a refund", "q_value": 0.731, "utility": 0.55 }),
            ),
            memory(
                2,
                7_500,
                json!({ "summary": "Convert dates first", "pinned": true, "credit": 0.62, "evidence": 12 }),
            ),
            memory(3, 400_000, json!({ "reflection": "Without a summary", "status": "disabled" })),
        ];

        insta::assert_snapshot!("memories_in_a_pipe", table(&memories).text(None, false));
        insta::assert_snapshot!("memories_on_a_terminal", table(&memories).text(Some(80), false));
    }
}
