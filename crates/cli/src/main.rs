//! The binary `reflect`: reads the command line and the environment, runs one command, and turns its
//! outcome into an exit code.

mod command_line_page;
mod commands;
mod config;
mod configuration_page;
mod connection;
mod demo;
mod dev;
mod dev_config;
mod doctor;
mod embedder_config;
mod environment;
mod examples;
mod failure;
mod filter;
mod model_config;
mod moving;
mod output;
mod review;
mod servers_database;
mod silence;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::commands::Command;
use crate::failure::Failure;
use crate::output::{Output, OutputFlags};

/// Memory for AI agents that learns from outcomes.
#[derive(Debug, Parser)]
#[command(name = "reflect", version, after_help = AFTER)]
struct Arguments {
    #[command(flatten)]
    output: OutputFlags,
    #[command(subcommand)]
    command: Command,
}

// Lines are broken to fit the terminal.
const AFTER: &str = "\
Begin with `reflect dev`; `reflect COMMAND --help` has examples.

Exit codes: 0 ok, 1 failure, 2 usage, 3 configuration or key, 4 network, 5 the server refused, \
6 files of this machine, 7 a check found something, 8 waited too long, 130 interrupted.";

/// All that can be typed.
fn command() -> clap::Command {
    examples::below(Arguments::command())
}

fn main() -> ExitCode {
    let arguments = match read() {
        Ok(arguments) => arguments,
        Err(error) => return not_understood(error),
    };
    if arguments.command.loads_models()
        && let Err(error) = silence::insist()
    {
        eprintln!("reflect: cannot begin anew with reports to others switched off: {error}");
        return ExitCode::FAILURE;
    }
    let output = Output::new(&arguments.output);
    match commands::run(arguments.command, &output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if failure::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = Failure::of(&error);
            output.failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Reads command line and environment. A variable that is set to nothing counts as absent, as in a file of settings
/// in which some are left out.
fn read() -> Result<Arguments, clap::Error> {
    let mut command = environment::without_empty_variables(command());
    let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Help and version are answers; everything else is a mistake, which programs get as JSON like any other.
fn not_understood(mut error: clap::Error) -> ExitCode {
    let variables = environment::variables_meant(&command(), &error);
    // What is set in the environment would stand there as if it had to be typed.
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    if usage.contains("--api-key <KEY>") || usage.contains("--base-url <URL>") {
        error.remove(ContextKind::Usage);
    }
    let wants_json = || std::env::args_os().any(|argument| argument.to_string_lossy().starts_with("--json"));
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !is_answer && wants_json() {
        let text = error.render().to_string();
        let message = text.trim().trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        let fix = variables.first().map_or("`reflect help` describes every command", String::as_str);
        output::usage_as_json(&Failure::usage(message).fix(fix));
    } else {
        if !variables.is_empty() {
            let tips = variables.into_iter().map(Into::into).collect();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
        // What cannot be printed cannot be complained about either.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}
