//! Environment variables that are not settings of Reflect: terminal and user folders. Settings are arguments with a
//! variable, in `config` and `connection`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::builder::{OsStr, Resettable};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};

/// A variable; an empty one counts as absent.
#[expect(clippy::disallowed_methods, reason = "conventions of terminals and desktops, not settings")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The folder in the variable, else this folder in the user's home.
pub(crate) fn folder(name: &str, below_home: &str) -> Option<PathBuf> {
    let said = variable(name).map(PathBuf::from);
    said.or_else(|| std::env::home_dir().map(|home| home.join(below_home)))
}

/// `REFLECT_` variables that neither a command nor a client reads.
#[expect(clippy::disallowed_methods, reason = "reads only names, to find typos")]
pub(crate) fn unknown_settings(command: &Command) -> Vec<String> {
    let mut known: BTreeSet<String> =
        OF_CLIENTS.iter().chain(OF_FAULT_RUNS).map(|name| (*name).to_owned()).collect();
    variables_of(command, &mut known);
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut unknown: Vec<String> =
        names.filter(|name| name.starts_with("REFLECT_") && !known.contains(name)).collect();
    unknown.sort_unstable();
    unknown
}

/// Read by clients in other languages.
const OF_CLIENTS: &[&str] = &["REFLECT_SPOOL", "REFLECT_SPOOL_DIR"];
/// Read by debug builds, before the command line.
const OF_FAULT_RUNS: &[&str] = if cfg!(debug_assertions) { &["REFLECT_CRASH_AT"] } else { &[] };

/// The command without variables that are empty.
#[expect(clippy::disallowed_methods, reason = "variables of settings, before clap reads them")]
pub(crate) fn without_empty_variables(command: Command) -> Command {
    let is_empty = |arg: &Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let kept = |arg: Arg| if is_empty(&arg) { arg.env(Resettable::<OsStr>::Reset) } else { arg };
    command.mut_args(kept).mut_subcommands(without_empty_variables)
}

/// For a missing or invalid value: the variables that can set it.
pub(crate) fn variables_for(command: &Command, error: &clap::Error) -> Vec<String> {
    let flags: Vec<&str> = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => vec![flag],
        Some(ContextValue::Strings(flags)) => flags.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let names = flags.iter().filter_map(|flag| flag.split([' ', '=']).next()?.strip_prefix("--"));
    names
        .filter_map(|name| {
            Some(format!("--{name} can also be set by the variable {}", variable_of(command, name)?))
        })
        .collect()
}

fn variable_of(command: &Command, flag: &str) -> Option<String> {
    let own = command.get_arguments().find(|arg| arg.get_long() == Some(flag)).and_then(Arg::get_env);
    let own = own.and_then(|name| name.to_str().map(str::to_owned));
    own.or_else(|| command.get_subcommands().find_map(|sub| variable_of(sub, flag)))
}

fn variables_of(command: &Command, known: &mut BTreeSet<String>) {
    let arguments = command.get_arguments().filter_map(|arg| arg.get_env()?.to_str().map(str::to_owned));
    known.extend(arguments);
    command.get_subcommands().for_each(|sub| variables_of(sub, known));
}
