//! What the terminal can do, from the flags, the environment and the file descriptors.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

use crate::environment::variable;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// If the terminal supports it and the environment does not forbid it.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Terminal settings from the environment.
#[derive(Debug, Clone, Default)]
struct TerminalVariables {
    no_color: bool,
    clicolor_force: bool,
    dumb: bool,
}

/// What stdin, stdout and stderr can do.
#[derive(Debug, Clone)]
pub(crate) struct TerminalCapabilities {
    /// Stdin and stderr are terminals, so questions can be asked.
    pub(super) is_interactive: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(super) stderr_is_terminal: bool,
    pub(crate) colour_out: bool,
    pub(super) colour_err: bool,
    /// Stderr is a terminal that supports cursor movement.
    pub(super) has_cursor: bool,
}

impl TerminalCapabilities {
    pub(super) fn detect(colour: Colour) -> Self {
        let variables = TerminalVariables {
            no_color: variable("NO_COLOR").is_some(),
            clicolor_force: variable("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            dumb: variable("TERM").is_some_and(|value| value == "dumb"),
        };
        let (stdout, stderr) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self {
            is_interactive: io::stdin().is_terminal() && stderr,
            stdout_is_terminal: stdout,
            stderr_is_terminal: stderr,
            colour_out: use_colour(colour, &variables, stdout),
            colour_err: use_colour(colour, &variables, stderr),
            has_cursor: stderr && !variables.dumb,
        }
    }

    /// The width of the terminal; `None` if stdout is not a terminal.
    pub(crate) fn width(&self) -> Option<u16> {
        let columns = crossterm::terminal::size().ok().map(|(columns, _)| columns);
        self.stdout_is_terminal.then(|| columns.filter(|columns| *columns >= 20).unwrap_or(80))
    }
}

/// The flag wins, then NO_COLOR, then CLICOLOR_FORCE, then what the terminal can do.
const fn use_colour(flag: Colour, variables: &TerminalVariables, is_terminal: bool) -> bool {
    match flag {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if variables.no_color => false,
        Colour::Auto => variables.clicolor_force || (is_terminal && !variables.dumb),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_depends_on_the_flag_then_variables_then_terminal() {
        let usual = TerminalVariables::default();
        let quiet =
            TerminalVariables { no_color: true, clicolor_force: true, ..TerminalVariables::default() };
        let forced = TerminalVariables { clicolor_force: true, ..TerminalVariables::default() };
        let dumb = TerminalVariables { dumb: true, ..TerminalVariables::default() };

        assert!(use_colour(Colour::Auto, &usual, true) && !use_colour(Colour::Auto, &usual, false));
        assert!(!use_colour(Colour::Auto, &quiet, true) && use_colour(Colour::Always, &quiet, false));
        assert!(use_colour(Colour::Auto, &forced, false) && !use_colour(Colour::Never, &forced, true));
        assert!(!use_colour(Colour::Auto, &dumb, true));
    }
}
