//! Generates docs/CONFIGURATION.md from the settings. A test fails if the committed page differs.

use clap::{Args, Command};

use crate::config::Config;

const OPENING: &str = "# Configuration

All settings of `reflect serve`, as flags and as environment variables. A flag overrides its variable. This page is
generated from the settings by `reflect configuration`.
";

/// The page.
pub(crate) fn page() -> String {
    let command = Config::augment_args(Command::new("serve"));
    let mut page = OPENING.to_owned();
    for heading in headings(&command) {
        page.push_str(&format!(
            "\n## {heading}\n\n| Flag | Variable | Default | Description |\n| --- | --- | --- | --- |\n"
        ));
        let settings = command
            .get_arguments()
            .filter(|arg| arg.get_help_heading() == Some(&heading) && !arg.is_hide_set());
        for setting in settings {
            page.push_str(&row(setting));
        }
    }
    page
}

/// In the order in which the settings are declared.
fn headings(command: &Command) -> Vec<String> {
    let mut headings: Vec<String> = Vec::new();
    for heading in command.get_arguments().filter_map(clap::Arg::get_help_heading) {
        if !headings.iter().any(|known| known == heading) {
            headings.push(heading.to_owned());
        }
    }
    headings
}

fn row(setting: &clap::Arg) -> String {
    let flag = setting.get_long().unwrap_or_default();
    let variable = setting.get_env().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let defaults: Vec<_> = setting.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = match defaults.join(" ") {
        none if none.is_empty() => "—".to_owned(),
        some => format!("`{some}`"),
    };
    let mut meaning = setting.get_help().map(ToString::to_string).unwrap_or_default();
    let choices: Vec<_> =
        setting.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if choices.len() > 1 && setting.get_action().takes_values() {
        meaning.push_str(&format!(". One of {}", choices.join(", ")));
    }
    format!("| `--{flag}` | `{variable}` | {default} | {} |\n", meaning.replace('\n', " "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_page_is_fresh() {
        let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CONFIGURATION.md");
        let committed = std::fs::read_to_string(committed).unwrap_or_default();
        assert!(
            committed.trim() == super::page().trim(),
            "docs/CONFIGURATION.md is stale: run `just openapi`"
        );
    }
}
