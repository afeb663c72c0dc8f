//! The command line: its arguments, its help, and how errors in it are reported.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::Command;
use crate::failure::Failure;
use crate::output::{self, OutputFlags};
use crate::{environment, examples};

/// Memory for AI agents that learns from outcomes.
#[derive(Debug, Parser)]
#[command(name = "reflect", version, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

// clap breaks lines at the width of the terminal.
const AFTER_HELP: &str = "\
Start with `reflect dev`. `reflect COMMAND --help` shows examples.

Exit codes: 0 success, 1 failure, 2 usage, 3 configuration or API key, 4 network, 5 rejected by the server, \
6 local files, 7 a check found a problem, 8 timeout, 130 interrupted.";

/// The definition of all commands and flags.
pub(crate) fn definition() -> clap::Command {
    examples::add_to_help(Arguments::command())
}

/// Parses the command line and the environment. An empty variable counts as absent, as in a settings file with blank
/// values.
pub(crate) fn parse() -> Result<Arguments, clap::Error> {
    let mut command = environment::without_empty_variables(definition());
    let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Prints help, the version, or a usage error. Usage errors are JSON if `--json` is given.
pub(crate) fn report(mut error: clap::Error) -> ExitCode {
    let variables = environment::variables_for(&definition(), &error);
    // clap lists flags that are set by a variable as if they had to be typed.
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    if usage.contains("--api-key <KEY>") || usage.contains("--base-url <URL>") {
        error.remove(ContextKind::Usage);
    }
    let wants_json = || std::env::args_os().any(|argument| argument.to_string_lossy().starts_with("--json"));
    let is_error = !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if is_error && wants_json() {
        let text = error.render().to_string();
        let message = text.trim().trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        let fix = variables.first().map_or("run `reflect help` to see every command", String::as_str);
        output::usage_as_json(&Failure::usage(message).fix(fix));
    } else {
        if !variables.is_empty() {
            let tips = variables.into_iter().map(Into::into).collect();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
        // If printing fails, there is no way left to report it.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use clap::builder::{PossibleValue, PossibleValuesParser};
    use clap::{Arg, Command};
    use reflect_model_providers::ProviderKind;

    #[test]
    fn the_command_line_is_well_formed() {
        super::definition().debug_assert();
    }

    /// Without what depends on the machine: the width of the terminal and the values of variables. Also without the
    /// providers: the generated pages of the documentation list them, so a new provider changes no snapshot.
    fn stable(command: Command) -> Command {
        let stable_argument = |argument: Arg| without_providers(argument).hide_env_values(true);
        command.term_width(100).mut_args(stable_argument).mut_subcommands(stable)
    }

    fn without_providers(argument: Arg) -> Arg {
        let is_provider = |value: &PossibleValue| value.get_name().parse::<ProviderKind>().is_ok();
        let values = argument.get_possible_values();
        if !values.iter().any(is_provider) {
            return argument;
        }
        let others: Vec<PossibleValue> = values.into_iter().filter(|value| !is_provider(value)).collect();
        argument.value_parser(PossibleValuesParser::new(others))
    }

    /// The help of a command and of its subcommands.
    fn help(command: &Command) -> String {
        let own = command.clone().render_long_help().to_string();
        let visible = command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
        let below = visible.map(|sub| format!("\n======== {}\n{}", sub.get_name(), help(sub)));
        std::iter::once(own).chain(below).collect()
    }

    #[test]
    fn help_texts() {
        let mut root = stable(super::definition());
        root.build();

        insta::assert_snapshot!("help", root.clone().render_long_help());
        for command in root.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
            insta::assert_snapshot!(format!("help_{}", command.get_name()), help(command));
        }
    }
}
