//! `reflect memories edit`: by flags or in an editor.

use std::process::Command;

use anyhow::Context;
use clap::Args;
use reflect_api::{EditMemory, StoredMemory};
use reflect_types::MemoryId;
use serde::{Deserialize, Serialize};

use super::curation::show_changes;
use crate::arguments::ids::{IdArgument, id as parse_id};
use crate::connection::Connection;
use crate::environment::variable;
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::private_file;

/// Change the text of a memory.
#[derive(Debug, Args)]
pub(crate) struct Edit {
    #[command(flatten)]
    connection: Connection,
    /// The id of the memory.
    #[arg(value_parser = parse_id::<MemoryId>)]
    memory: IdArgument<MemoryId>,
    /// The task.
    #[arg(long)]
    task: Option<String>,
    /// The lesson in one line.
    #[arg(long)]
    summary: Option<String>,
    /// What to do next time.
    #[arg(long)]
    guidance: Option<String>,
    /// What went wrong.
    #[arg(long)]
    mistake: Option<String>,
    /// What should have been done.
    #[arg(long)]
    action: Option<String>,
}

/// The JSON that is edited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Text {
    task: String,
    summary: String,
    guidance: String,
    key_mistake: String,
    correct_action: String,
    applicable_tools: Vec<String>,
}

pub(super) async fn run(arguments: Edit, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let id = arguments.memory.resolve(&client).await?;
    let memory = client.memories.get(id).await?.memory;
    let mut edit = EditMemory {
        task: arguments.task,
        summary: arguments.summary,
        guidance: arguments.guidance,
        key_mistake: arguments.mistake,
        correct_action: arguments.action,
        ..EditMemory::default()
    };
    if edit == EditMemory::default() {
        edit = in_editor(&memory, output)?;
    }
    if edit == EditMemory::default() {
        output.say("Nothing was changed.");
        return Ok(());
    }
    // Fails if the memory was changed since it was read.
    edit.version = Some(memory.version);
    show_changes("memory.edit/1", &[client.curation.edit(id, &edit).await?], output)
}

fn in_editor(memory: &StoredMemory, output: &Output) -> anyhow::Result<EditMemory> {
    let before = Text {
        task: memory.task.clone(),
        summary: memory.summary.clone(),
        guidance: memory.guidance.clone(),
        key_mistake: memory.key_mistake.clone(),
        correct_action: memory.correct_action.clone(),
        applicable_tools: memory.applicable_tools.clone(),
    };
    let editor = variable("VISUAL").or_else(|| variable("EDITOR"));
    let Some(editor) = editor.filter(|_| output.prompt.is_interactive()) else {
        return Err(Failure::usage("no field to change is given, and no editor can be opened")
            .fix("add --guidance or another field, or set EDITOR and use a terminal")
            .into());
    };
    let path = std::env::temp_dir().join(format!("reflect-{}.json", uuid::Uuid::now_v7()));
    let file = private_file::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    serde_json::to_writer_pretty(file, &before)?;
    let edited = edited(&editor, &path);
    let removed = std::fs::remove_file(&path);
    let after: Text = serde_json::from_str(&edited?).map_err(|error| {
        Failure::new(Kind::Usage, "unreadable", format!("the edited text is not valid JSON: {error}"))
    })?;
    removed.with_context(|| format!("cannot remove {}", path.display()))?;
    Ok(difference(&before, after))
}

/// Starts the editor. The variable may contain arguments.
fn edited(editor: &str, path: &std::path::Path) -> anyhow::Result<String> {
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = Command::new(program).args(words).arg(path).status();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    if !status.success() {
        return Err(
            Failure::new(Kind::Other, "editor_failed", format!("{program} exited with {status}")).into()
        );
    }
    std::fs::read_to_string(path).context("cannot read the edited file")
}

fn difference(before: &Text, after: Text) -> EditMemory {
    let changed = |before: &str, after: String| (before != after).then_some(after);
    EditMemory {
        task: changed(&before.task, after.task),
        summary: changed(&before.summary, after.summary),
        guidance: changed(&before.guidance, after.guidance),
        key_mistake: changed(&before.key_mistake, after.key_mistake),
        correct_action: changed(&before.correct_action, after.correct_action),
        applicable_tools: (before.applicable_tools != after.applicable_tools)
            .then_some(after.applicable_tools),
        ..EditMemory::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_fields_are_sent() {
        let before = Text {
            task: "t".into(),
            summary: "s".into(),
            guidance: "g".into(),
            key_mistake: String::new(),
            correct_action: String::new(),
            applicable_tools: vec![],
        };
        let after = Text { guidance: "better".into(), ..before.clone() };

        let edit = difference(&before, after);

        assert_eq!(edit, EditMemory { guidance: Some("better".into()), ..EditMemory::default() });
        assert_eq!(difference(&before, before.clone()), EditMemory::default());
    }
}
