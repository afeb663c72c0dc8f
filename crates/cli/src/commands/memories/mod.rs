//! `reflect memories`: lessons, as whoever cares for them sees them.

mod care;
mod edit;
mod list;
mod show;

use clap::{Args, Subcommand};
use reflect_api::{AuthoredReflection, WriteMemory};

use crate::commands::pairs::Pair;
use crate::connection::Connection;
use crate::output::Output;

/// See memories and care for them.
#[derive(Debug, Subcommand)]
pub(crate) enum Memories {
    /// List memories as they are stored.
    List(list::List),
    /// Show one memory, where it came from and what it has said.
    Get(show::One),
    /// Show every review that moved a memory and everything that was done to it.
    History(show::One),
    /// Write a memory by hand.
    Add(Add),
    /// Change what a memory says; in $EDITOR when nothing else is given.
    Edit(edit::Edit),
    /// Take memories out of use.
    Disable(care::Some),
    /// Bring memories back after they were disabled or deleted.
    Enable(care::Some),
    /// Answer every question with these memories first.
    Pin(care::Some),
    /// Pin memories no more.
    Unpin(care::Some),
    /// Serve memories no more until somebody vouches for them.
    Quarantine(care::Some),
    /// Vouch for memories that are quarantined.
    Release(care::Some),
    /// Delete memories. They can be brought back until they are erased.
    Delete(care::Some),
    /// Make one memory of several.
    Merge(care::Merge),
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    #[command(flatten)]
    connection: Connection,
    /// The task it is about; memories are found by it.
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
    /// A tool or area it is about; may be given several times.
    #[arg(long)]
    tool: Vec<String>,
    /// Something worth filtering by; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    metadata: Vec<Pair>,
}

pub(crate) async fn run(memories: Memories, output: &Output) -> anyhow::Result<()> {
    use care::Verb;
    match memories {
        Memories::List(arguments) => list::run(arguments, output).await,
        Memories::Get(arguments) => show::get(arguments, output).await,
        Memories::History(arguments) => show::history(arguments, output).await,
        Memories::Add(arguments) => add(arguments, output).await,
        Memories::Edit(arguments) => edit::run(arguments, output).await,
        Memories::Disable(arguments) => care::run(Verb::Disable, arguments, output).await,
        Memories::Enable(arguments) => care::run(Verb::Enable, arguments, output).await,
        Memories::Pin(arguments) => care::run(Verb::Pin, arguments, output).await,
        Memories::Unpin(arguments) => care::run(Verb::Unpin, arguments, output).await,
        Memories::Quarantine(arguments) => care::run(Verb::Quarantine, arguments, output).await,
        Memories::Release(arguments) => care::run(Verb::Release, arguments, output).await,
        Memories::Delete(arguments) => care::run(Verb::Delete, arguments, output).await,
        Memories::Merge(arguments) => care::merge(arguments, output).await,
    }
}

async fn add(arguments: Add, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let metadata = arguments.metadata.into_iter().map(|pair| (pair.name, pair.value)).collect();
    let wish = WriteMemory {
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
    };
    let answer = client.write_memory(&wish).await?;
    output.item("memory.add/1", &answer.memory, || answer.memory.id.to_string())?;
    output.next(&format!("reflect memories get {}", answer.memory.id));
    Ok(())
}
