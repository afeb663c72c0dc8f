//! `reflect memories`: memories and their curation.

mod curation;
mod edit;
mod import;
mod list;
mod show;

use clap::{Args, Subcommand};
use reflect_api::{AuthoredReflection, WriteMemory};

pub(super) use curation::show_changes;
pub(super) use list::Sort;

use crate::arguments::pairs::Pair;
use crate::connection::Connection;
use crate::output::Output;

/// List, show, edit and curate memories.
#[derive(Debug, Subcommand)]
pub(crate) enum Memories {
    /// List memories as they are stored.
    List(list::List),
    /// Show one memory and its source.
    Get(show::One),
    /// Show the reviews that changed a memory, and its edits.
    History(show::One),
    /// Write a memory by hand.
    Add(Add),
    /// Import memories from JSON lines, exports of Mem0 and Letta, or rule files. They are quarantined.
    Import(import::Import),
    /// Change the text of a memory. Opens $EDITOR if no field is given.
    Edit(edit::Edit),
    /// Stop using memories.
    Disable(curation::Selected),
    /// Restore memories that were disabled or deleted.
    Enable(curation::Selected),
    /// Return these memories first for every query.
    Pin(curation::Selected),
    /// Remove the pin from memories.
    Unpin(curation::Selected),
    /// Stop using memories until they are released.
    Quarantine(curation::Selected),
    /// Release memories from quarantine.
    Release(curation::Selected),
    /// Delete memories. They can be restored until they are erased.
    Delete(curation::Selected),
    /// Merge several memories into one.
    Merge(curation::Merge),
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    #[command(flatten)]
    connection: Connection,
    /// The task. Memories are found by it.
    #[arg(long)]
    task: String,
    /// What to do next time.
    #[arg(long)]
    guidance: String,
    /// The lesson in one line.
    #[arg(long, default_value = "")]
    summary: String,
    /// What went wrong.
    #[arg(long, default_value = "")]
    mistake: String,
    /// What should have been done.
    #[arg(long, default_value = "")]
    action: String,
    /// A tool or area that it applies to. Repeatable.
    #[arg(long)]
    tool: Vec<String>,
    /// Metadata to filter by. Repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    metadata: Vec<Pair>,
}

pub(crate) async fn run(memories: Memories, output: &Output) -> anyhow::Result<()> {
    use curation::Verb;
    match memories {
        Memories::List(arguments) => list::run(arguments, output).await,
        Memories::Get(arguments) => show::get(arguments, output).await,
        Memories::History(arguments) => show::history(arguments, output).await,
        Memories::Add(arguments) => add(arguments, output).await,
        Memories::Import(arguments) => import::run(arguments, output).await,
        Memories::Edit(arguments) => edit::run(arguments, output).await,
        Memories::Disable(arguments) => curation::run(Verb::Disable, arguments, output).await,
        Memories::Enable(arguments) => curation::run(Verb::Enable, arguments, output).await,
        Memories::Pin(arguments) => curation::run(Verb::Pin, arguments, output).await,
        Memories::Unpin(arguments) => curation::run(Verb::Unpin, arguments, output).await,
        Memories::Quarantine(arguments) => curation::run(Verb::Quarantine, arguments, output).await,
        Memories::Release(arguments) => curation::run(Verb::Release, arguments, output).await,
        Memories::Delete(arguments) => curation::run(Verb::Delete, arguments, output).await,
        Memories::Merge(arguments) => curation::merge(arguments, output).await,
    }
}

async fn add(arguments: Add, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let metadata = arguments.metadata.into_iter().map(|pair| (pair.name, pair.value)).collect();
    let request = WriteMemory {
        task: arguments.task,
        lesson: AuthoredReflection {
            summary: arguments.summary,
            guidance: arguments.guidance,
            key_mistake: arguments.mistake,
            correct_action: arguments.action,
            applicable_tools: arguments.tool,
        },
        success: None,
        metadata: Some(metadata),
        imported: None,
    };
    let answer = client.curation.write(&request).await?;
    output.item("memory.add/1", &answer.memory, || answer.memory.id.to_string())?;
    output.next(&format!("reflect memories get {}", answer.memory.id));
    Ok(())
}
