//! What is done to memories that are named one by one. Everything here can be undone.

use clap::Args;
use reflect_api::{CareAnswer, MergeMemories};
use reflect_types::MemoryId;

use super::list::lesson;
use crate::commands::ids::id;
use crate::connection::Connection;
use crate::output::{Output, Table};

#[derive(Debug, Args)]
pub(crate) struct Some {
    #[command(flatten)]
    connection: Connection,
    /// The memories.
    #[arg(required = true, value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memories: Vec<MemoryId>,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    #[command(flatten)]
    connection: Connection,
    /// The memory that stays.
    #[arg(value_parser = id::<MemoryId>)]
    survivor: MemoryId,
    /// Those whose place it takes.
    #[arg(required = true, value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memories: Vec<MemoryId>,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Disable,
    Enable,
    Pin,
    Unpin,
    Quarantine,
    Release,
    Delete,
}

impl Verb {
    const fn schema(self) -> &'static str {
        match self {
            Self::Disable => "memory.disable/1",
            Self::Enable => "memory.enable/1",
            Self::Pin => "memory.pin/1",
            Self::Unpin => "memory.unpin/1",
            Self::Quarantine => "memory.quarantine/1",
            Self::Release => "memory.release/1",
            Self::Delete => "memory.delete/1",
        }
    }
}

pub(super) async fn run(verb: Verb, arguments: Some, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    if verb == Verb::Delete {
        let what = crate::commands::traces::counted(arguments.memories.len(), "memory")
            .replace("memorys", "memories");
        output.confirm(&format!("Delete {what} of project {}?", client.project_id()))?;
    }
    let mut answers = Vec::with_capacity(arguments.memories.len());
    for id in arguments.memories {
        let answer = match verb {
            Verb::Disable => client.disable_memory(id).await,
            Verb::Enable => client.enable_memory(id).await,
            Verb::Pin => client.pin_memory(id).await,
            Verb::Unpin => client.unpin_memory(id).await,
            Verb::Quarantine => client.quarantine_memory(id).await,
            Verb::Release => client.release_memory(id).await,
            Verb::Delete => client.delete_memory(id).await,
        };
        answers.push(answer?);
    }
    told(verb.schema(), &answers, output)
}

pub(super) async fn merge(arguments: Merge, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let wish = MergeMemories {
        survivor_id: arguments.survivor.to_string(),
        memory_ids: arguments.memories.iter().map(MemoryId::to_string).collect(),
        text: None,
    };
    told("memory.merge/1", &[client.merge_memories(&wish).await?], output)
}

/// What was done, and how it is undone.
pub(super) fn told(schema: &str, answers: &[CareAnswer], output: &Output) -> anyhow::Result<()> {
    output.list(schema, answers, None, || {
        let mut table = Table::new(&["ID", "STATUS", "?ACTION", "~MEMORY"]);
        for CareAnswer { action_id, memory } in answers {
            let action = action_id.map_or("(nothing to do)".to_owned(), |id| id.to_string());
            let status = if memory.pinned { "pinned" } else { memory.status.as_str() };
            table.row(&[&memory.id.to_string(), status, &action, lesson(memory)]);
        }
        table
    })?;
    if let Option::Some(action) = answers.iter().rev().find_map(|answer| answer.action_id) {
        output.next(&format!("reflect actions undo {action}"));
    }
    Ok(())
}
