//! Everything that a command prints, and asks: data on stdout, all else on stderr; tables for people, JSON for programs;
//! colour where there is a terminal that wants it. What is printed is the commands' business.

mod asking;
mod json;
mod plain;
mod table;
mod times;
mod wrapping;

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use owo_colors::OwoColorize;
use serde::Serialize;

pub(crate) use json::{Fields, escaped};
pub(crate) use plain::{plain, plain_line};
pub(crate) use table::Table;
pub(crate) use times::{age, size, span};
pub(crate) use wrapping::{clipped, hanging, wrapped};

use crate::environment::variable;
use crate::failure::Failure;

/// How a command speaks and whether it may ask.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Write JSON, with these fields alone if some are named between commas.
    #[arg(long, global = true, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    json: Option<String>,
    /// Say nothing but data and errors.
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, hide_possible_values = true)]
    color: Colour,
    /// Ask nothing: what would be asked is an error.
    #[arg(long, global = true)]
    no_input: bool,
    /// Answer every question with yes.
    #[arg(short, long, global = true)]
    yes: bool,
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal that has not said no.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What the environment says about the terminal.
#[derive(Debug, Clone, Default)]
struct Terminal {
    no_color: bool,
    clicolor_force: bool,
    dumb: bool,
}

/// How this run of the binary speaks.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    json: Option<Fields>,
    /// Which columns of a table are wanted; those that the command thinks useful when empty.
    columns: Fields,
    quiet: bool,
    yes: bool,
    /// Somebody is there to be asked.
    may_ask: bool,
    stdout_is_terminal: bool,
    stderr_is_terminal: bool,
    colour_out: bool,
    colour_err: bool,
    /// Cursor movements would only litter a dumb terminal.
    moves: bool,
}

impl Output {
    /// What the flags and the terminal come to.
    pub(crate) fn new(flags: &OutputFlags) -> Self {
        let terminal = Terminal {
            no_color: variable("NO_COLOR").is_some(),
            clicolor_force: variable("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            dumb: variable("TERM").is_some_and(|value| value == "dumb"),
        };
        let (stdout, stderr) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self {
            json: flags.json.as_deref().map(Fields::new),
            columns: Fields::default(),
            quiet: flags.quiet,
            yes: flags.yes,
            may_ask: !flags.no_input && io::stdin().is_terminal() && stderr,
            stdout_is_terminal: stdout,
            stderr_is_terminal: stderr,
            colour_out: colours(flags.color, &terminal, stdout),
            colour_err: colours(flags.color, &terminal, stderr),
            moves: stderr && !terminal.dumb,
        }
    }

    /// The same for a command whose own flag chooses fields.
    pub(crate) fn choosing(&self, fields: Option<&str>) -> Self {
        let columns = fields.map(Fields::new).unwrap_or_default();
        let json = self.json.clone().map(|said| if said.is_empty() { columns.clone() } else { said });
        Self { json, columns, ..self.clone() }
    }

    /// Whether JSON is wanted.
    pub(crate) const fn is_json(&self) -> bool {
        self.json.is_some()
    }

    /// Whether somebody looks at what goes to stdout.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.stdout_is_terminal
    }

    /// Whether somebody is there to be asked.
    pub(crate) const fn may_ask(&self) -> bool {
        self.may_ask
    }

    /// Whether text on stdout may have colour.
    pub(crate) const fn has_colour(&self) -> bool {
        self.colour_out
    }

    /// One thing: an object for programs, text for people.
    pub(crate) fn item(
        &self,
        schema: &str,
        thing: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        match &self.json {
            Some(fields) => self.line(&json::item(schema, fields, thing)?),
            None => self.line(&text()),
        }
    }

    /// Many things, and where the next ones begin: a list for programs, a table for people.
    pub(crate) fn list<T: Serialize>(
        &self,
        schema: &str,
        things: &[T],
        next: Option<&str>,
        table: impl FnOnce() -> Table,
    ) -> anyhow::Result<()> {
        if let Some(fields) = &self.json {
            return self.line(&json::list(schema, fields, things, next)?);
        }
        if !self.columns.is_empty() {
            return self.table(self.columns.table(things)?);
        }
        self.table(table())
    }

    /// A table for people. One without rows says so on stderr.
    pub(crate) fn table(&self, table: Table) -> anyhow::Result<()> {
        if table.is_empty() {
            self.say("Nothing found.");
            return Ok(());
        }
        self.line(&table.text(self.width(), self.colour_out))
    }

    /// One JSON object on a line of its own, for lists that are written as they come.
    pub(crate) fn json_line(&self, thing: &impl Serialize) -> anyhow::Result<()> {
        let fields = self.json.clone().unwrap_or_default();
        self.line(&json::text(&fields.of(thing)?))
    }

    /// Data on stdout. Whoever reads it may stop reading, as `head` does; that is an error that ends the command, and
    /// that `main` keeps to itself.
    pub(crate) fn line(&self, text: &str) -> anyhow::Result<()> {
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush());
        written.context("cannot write to stdout")
    }

    /// A sentence on stderr, for people. Nobody minds if it cannot be written.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{}", plain(text));
        }
    }

    /// Something that is not as it should be, and does not stop the command.
    pub(crate) fn warn(&self, text: &str) {
        let text = plain(text);
        let _ = if self.colour_err {
            writeln!(io::stderr(), "{} {text}", "warning:".yellow())
        } else {
            writeln!(io::stderr(), "warning: {text}")
        };
    }

    /// The next useful command, where somebody looks.
    pub(crate) fn next(&self, command: &str) {
        if self.stderr_is_terminal && self.json.is_none() {
            let command = plain(command);
            let shown = if self.colour_err { command.bold().to_string() } else { command };
            if !self.quiet {
                let _ = writeln!(io::stderr(), "\nNext: {shown}");
            }
        }
    }

    /// What went wrong: JSON on stderr for programs, sentences for people.
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut stderr = io::stderr();
        if self.is_json() {
            let _ = writeln!(stderr, "{}", json::failure(failure));
            return;
        }
        let name = if self.colour_err { "reflect:".red().bold().to_string() } else { "reflect:".to_owned() };
        let request = failure.request_id.as_ref().map(|id| format!(" (request id {id})"));
        let message = plain(&format!("{}{}", failure.message, request.unwrap_or_default()));
        let _ = writeln!(stderr, "{name} {message}");
        if let Some(fix) = &failure.fix {
            let _ = writeln!(stderr, "  fix: {}", plain(fix));
        }
    }

    /// A bar for work whose end is known, or a count where it is not. It is drawn on stderr, for people alone.
    pub(crate) fn progress(&self, what: &'static str, total: Option<u64>) -> ProgressBar {
        if !self.moves || self.quiet || self.is_json() {
            return ProgressBar::hidden();
        }
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(total, target).with_message(what);
        let style = match total {
            Some(_) => "{msg}  [{bar:26}]  {human_pos}/{human_len}   {per_sec}   eta {eta}",
            None => "{msg}  {human_pos}   {per_sec}   {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=>-"));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    /// How wide the terminal is; None where nothing has to fit.
    pub(crate) fn width(&self) -> Option<u16> {
        let columns = crossterm::terminal::size().ok().map(|(columns, _)| columns);
        self.stdout_is_terminal.then(|| columns.filter(|columns| *columns >= 20).unwrap_or(80))
    }
}

/// A flag wins, then NO_COLOR, then CLICOLOR_FORCE, then what the terminal can do.
const fn colours(wanted: Colour, terminal: &Terminal, is_terminal: bool) -> bool {
    match wanted {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if terminal.no_color => false,
        Colour::Auto => terminal.clicolor_force || (is_terminal && !terminal.dumb),
    }
}

/// JSON of a failure, for a command line that could not be read.
pub(crate) fn usage_as_json(failure: &Failure) {
    let _ = writeln!(io::stderr(), "{}", json::failure(failure));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_decided_by_flag_then_variables_then_terminal() {
        let usual = Terminal::default();
        let quiet = Terminal { no_color: true, clicolor_force: true, ..Terminal::default() };
        let forced = Terminal { clicolor_force: true, ..Terminal::default() };
        let dumb = Terminal { dumb: true, ..Terminal::default() };

        assert!(colours(Colour::Auto, &usual, true) && !colours(Colour::Auto, &usual, false));
        assert!(!colours(Colour::Auto, &quiet, true) && colours(Colour::Always, &quiet, false));
        assert!(colours(Colour::Auto, &forced, false) && !colours(Colour::Never, &forced, true));
        assert!(!colours(Colour::Auto, &dumb, true));
    }
}
