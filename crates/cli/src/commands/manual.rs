//! Descriptions of the command line: shell completions, man pages, and the command tree for programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use serde_json::{Value, json};

use crate::output::{Output, counted};

/// Print shell completions.
#[derive(Debug, Args)]
pub(crate) struct Completion {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write man pages for all commands.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The target folder. It is created if needed.
    folder: PathBuf,
}

pub(crate) fn completion(
    arguments: &Completion,
    mut definition: Command,
    output: &Output,
) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition, "reflect", &mut script);
    output.line(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(arguments: &Man, mut definition: Command, output: &Output) -> anyhow::Result<()> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    definition.build();
    let mut written = Vec::new();
    write_pages(&definition, folder, &mut written)?;
    let item = json!({ "folder": folder, "pages": written });
    output
        .item("man/1", &item, || format!("Wrote {} to {}.", counted(written.len(), "page"), folder.display()))
}

fn write_pages(command: &Command, folder: &Path, written: &mut Vec<String>) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let page = format!("{name}.1");
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name).render(&mut text)?;
    let path = folder.join(&page);
    let mut file =
        std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    file.write_all(&text).with_context(|| format!("cannot write {}", path.display()))?;
    written.push(page);
    for below in visible(command) {
        write_pages(below, folder, written)?;
    }
    Ok(())
}

/// The command tree.
pub(crate) fn commands(mut definition: Command, output: &Output) -> anyhow::Result<()> {
    definition.build();
    let tree = described(&definition);
    output.item("commands/1", &tree, || lines(&definition, "").join("\n"))
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

fn lines(command: &Command, before: &str) -> Vec<String> {
    let name = format!("{before}{}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let own = (visible(command).count() == 0).then(|| format!("{name:<28} {about}"));
    let below = visible(command).flat_map(|below| lines(below, &format!("{name} ")));
    own.into_iter().chain(below).collect()
}

fn described(command: &Command) -> Value {
    json!({
        "name": command.get_name(),
        "about": command.get_about().map(ToString::to_string),
        "arguments": command.get_arguments().filter(|argument| !argument.is_hide_set()).map(argument).collect::<Vec<_>>(),
        "commands": visible(command).map(described).collect::<Vec<_>>(),
    })
}

fn argument(argument: &Arg) -> Value {
    let choices: Vec<String> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    json!({
        "name": argument.get_id().as_str(),
        "flag": argument.get_long().map(|long| format!("--{long}")),
        "short": argument.get_short().map(|short| format!("-{short}")),
        "variable": argument.get_env().map(|name| name.to_string_lossy()),
        "required": argument.is_required_set(),
        "takes_value": argument.get_action().takes_values(),
        "default": argument.get_default_values().first().map(|value| value.to_string_lossy()),
        "choices": choices,
        "help": argument.get_help().map(ToString::to_string),
    })
}
