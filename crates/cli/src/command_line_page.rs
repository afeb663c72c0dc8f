//! Generates docs/reference/CLI.md from the command definitions. A test fails if the committed page differs.

use std::fmt::Write as _;

use clap::{Arg, Command};

use crate::examples;

const OPENING: &str = "# Command line

All commands of `reflect` with their flags. This page is generated from the command definitions (`just docs`). The
settings of `reflect serve` are in [CONFIGURATION](../CONFIGURATION.md).
";

/// The settings of this command have their own page.
const SERVE: &str = "serve";

/// The page.
pub(crate) fn page(mut command: Command) -> String {
    command.build();
    let mut page = OPENING.to_owned();
    page.push_str("\n| Command | Description |\n| --- | --- |\n");
    for (path, sub) in shown("reflect", &command) {
        let heading = format!("`{path}`");
        let anchor: String = path.chars().map(|c| if c == ' ' { '-' } else { c }).collect();
        let _ = writeln!(page, "| [{heading}](#{anchor}) | {} |", about(sub));
    }
    let everywhere: Vec<&Arg> = visible_arguments(&command).filter(|arg| arg.is_global_set()).collect();
    if !everywhere.is_empty() {
        page.push_str("\n## All commands\n");
        table(&mut page, &everywhere);
    }
    for (path, sub) in shown("reflect", &command) {
        section(&mut page, &path, sub);
    }
    page
}

/// All visible commands with their full names, in order.
fn shown<'a>(prefix: &str, command: &'a Command) -> Vec<(String, &'a Command)> {
    let mut found = Vec::new();
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let path = format!("{prefix} {}", sub.get_name());
        let below = shown(&path, sub);
        if below.is_empty() || !sub.is_subcommand_required_set() {
            found.push((path, sub));
        }
        found.extend(below);
    }
    found
}

fn about(command: &Command) -> String {
    command.get_about().map(|text| sentence(&text.to_string())).unwrap_or_default()
}

fn section(page: &mut String, path: &str, command: &Command) {
    let _ = write!(page, "\n## `{path}`\n\n{}\n", about(command));
    if let Some(more) = command.get_long_about() {
        let more = more.to_string();
        let brief = command.get_about().map(ToString::to_string).unwrap_or_default();
        let more = more.strip_prefix(&brief).unwrap_or(&more).trim_start_matches('.').trim();
        if !more.is_empty() {
            let _ = write!(page, "\n{more}\n");
        }
    }
    let calls =
        examples::for_command(path.trim_start_matches("reflect ")).iter().map(|call| format!("`{call}`"));
    let calls: Vec<String> = calls.collect();
    if !calls.is_empty() {
        let _ = write!(page, "\nExamples: {}.\n", calls.join(", "));
    }
    let arguments: Vec<&Arg> = visible_arguments(command).filter(|arg| !arg.is_global_set()).collect();
    if command.get_name() == SERVE {
        page.push_str("\nFor its flags see [CONFIGURATION](../CONFIGURATION.md).\n");
    } else if !arguments.is_empty() {
        table(page, &arguments);
    }
}

/// The visible arguments of a command, without help and version.
fn visible_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_hidden = |arg: &&Arg| arg.is_hide_set() || ["help", "version"].contains(&arg.get_id().as_str());
    command.get_arguments().filter(move |arg| !is_hidden(arg))
}

fn table(page: &mut String, arguments: &[&Arg]) {
    page.push_str("\n| Argument | Variable | Default | Description |\n| --- | --- | --- | --- |\n");
    for argument in arguments {
        page.push_str(&row(argument));
    }
}

fn row(argument: &Arg) -> String {
    let value = argument.get_value_names().and_then(<[_]>::first).map(ToString::to_string);
    let value = value.filter(|_| argument.get_action().takes_values());
    let name = match (argument.get_long(), argument.get_short(), value) {
        (Some(long), short, value) => {
            let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
            let value = value.map(|value| format!(" <{value}>")).unwrap_or_default();
            format!("{short}--{long}{value}")
        }
        (None, _, value) => format!("<{}>", value.unwrap_or_else(|| argument.get_id().to_string())),
    };
    let variable = argument.get_env().map(|name| format!("`{}`", name.to_string_lossy())).unwrap_or_default();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let takes = argument.get_action().takes_values();
    let default = match defaults.join(" ") {
        none if none.is_empty() || !takes => "—".to_owned(),
        some => format!("`{some}`"),
    };
    let mut meaning = argument.get_help().map(|text| sentence(&text.to_string())).unwrap_or_default();
    let choices: Vec<_> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if choices.len() > 1 && takes {
        let _ = write!(meaning, " One of {}.", choices.join(", "));
    }
    if argument.is_required_set() {
        meaning.push_str(" Required.");
    }
    format!("| `{name}` | {variable} | {default} | {} |\n", meaning.trim().replace('|', "\\|"))
}

/// On one line, with the final full stop that clap removes.
fn sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() || line.ends_with(['.', '?', '!']) { line } else { format!("{line}.") }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_page_is_fresh() {
        let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/CLI.md");
        let committed = std::fs::read_to_string(committed).unwrap_or_default();
        let page = super::page(crate::command_line::definition());
        assert!(committed.trim() == page.trim(), "docs/reference/CLI.md is stale: run `just docs`");
    }
}
