//! Changes to memories by id. All of them can be undone.

use clap::Args;
use reflect_api::{CurationAnswer, MergeMemories};
use reflect_types::MemoryId;

use super::list::lesson;
use crate::arguments::ids::{IdArgument, id};
use crate::arguments::resolve::resolve_all;
use crate::connection::Connection;
use crate::output::{Output, Table};

#[derive(Debug, Args)]
pub(crate) struct Selected {
    #[command(flatten)]
    connection: Connection,
    /// The ids of the memories.
    #[arg(required = true, value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memories: Vec<IdArgument<MemoryId>>,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    #[command(flatten)]
    connection: Connection,
    /// The id of the memory to keep.
    #[arg(value_parser = id::<MemoryId>)]
    survivor: IdArgument<MemoryId>,
    /// The ids of the memories that it replaces.
    #[arg(required = true, value_name = "MEMORY", value_parser = id::<MemoryId>)]
    memories: Vec<IdArgument<MemoryId>>,
}

/// The change.
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

pub(super) async fn run(verb: Verb, arguments: Selected, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let memories = resolve_all(arguments.memories, &client).await?;
    if verb == Verb::Delete {
        let what = crate::output::counted(memories.len(), "memory").replace("memorys", "memories");
        output.prompt.confirm(&format!("Delete {what} of project {}?", client.project_id()))?;
    }
    let mut answers = Vec::with_capacity(memories.len());
    for id in memories {
        let answer = match verb {
            Verb::Disable => client.curation.disable(id).await,
            Verb::Enable => client.curation.enable(id).await,
            Verb::Pin => client.curation.pin(id).await,
            Verb::Unpin => client.curation.unpin(id).await,
            Verb::Quarantine => client.curation.quarantine(id).await,
            Verb::Release => client.curation.release(id).await,
            Verb::Delete => client.curation.delete(id).await,
        };
        answers.push(answer?);
    }
    show_changes(verb.schema(), &answers, output)
}

pub(super) async fn merge(arguments: Merge, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let memories = resolve_all(arguments.memories, &client).await?;
    let request = MergeMemories {
        survivor_id: arguments.survivor.resolve(&client).await?.to_string(),
        memory_ids: memories.iter().map(MemoryId::to_string).collect(),
        text: None,
    };
    show_changes("memory.merge/1", &[client.curation.merge(&request).await?], output)
}

/// Shows the changes, and the command that undoes them.
pub(in crate::commands) fn show_changes(
    schema: &str,
    answers: &[CurationAnswer],
    output: &Output,
) -> anyhow::Result<()> {
    output.list(schema, answers, None, || {
        let mut table = Table::new(&["#ID", "STATUS", "?#ACTION", "~MEMORY"]);
        for CurationAnswer { action_id, memory } in answers {
            let action = action_id.map_or("(no change)".to_owned(), |id| id.to_string());
            let status = if memory.pinned { "pinned" } else { memory.status.as_str() };
            table.row(&[&memory.id.to_string(), status, &action, lesson(memory)]);
        }
        table
    })?;
    if let Some(action) = answers.iter().rev().find_map(|answer| answer.action_id) {
        output.next(&format!("reflect actions undo {action}"));
    }
    Ok(())
}
