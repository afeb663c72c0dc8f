//! Writes the output of commands: data to stdout, everything else to stderr; tables for people, JSON for programs.

mod json;
mod prompt;
mod sanitize;
mod table;
mod terminal;
mod units;
mod wrap;

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use owo_colors::OwoColorize;
use serde::Serialize;

pub(crate) use json::{Fields, escaped};
pub(crate) use sanitize::{plain, plain_line};
pub(crate) use table::Table;
pub(crate) use units::{age, counted, size, span};
pub(crate) use wrap::{clipped, hanging, indented, wrapped};

use crate::failure::Failure;
use prompt::Prompt;
use terminal::{Colour, TerminalCapabilities};

/// Flags for output and confirmation.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Write JSON. Optional: a comma-separated list of the fields to include.
    #[arg(long, global = true, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    json: Option<String>,
    /// Write only data and errors.
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, hide_possible_values = true)]
    color: Colour,
    /// Never ask for confirmation; fail instead.
    #[arg(long, global = true)]
    no_input: bool,
    /// Answer yes to every question.
    #[arg(short, long, global = true)]
    yes: bool,
}

/// Where and how a command writes.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    json: Option<Fields>,
    /// The columns of a table; empty for the command's own choice.
    columns: Fields,
    quiet: bool,
    pub(crate) prompt: Prompt,
    pub(crate) terminal: TerminalCapabilities,
}

impl Output {
    /// From the flags and the terminal.
    pub(crate) fn new(flags: &OutputFlags) -> Self {
        let terminal = TerminalCapabilities::detect(flags.color);
        Self {
            json: flags.json.as_deref().map(Fields::new),
            columns: Fields::default(),
            quiet: flags.quiet,
            prompt: Prompt {
                assume_yes: flags.yes,
                is_interactive: !flags.no_input && terminal.is_interactive,
            },
            terminal,
        }
    }

    /// The same output with the fields that a flag of the command selects.
    pub(crate) fn with_fields(&self, fields: Option<&str>) -> Self {
        let columns = fields.map(Fields::new).unwrap_or_default();
        let json = self.json.clone().map(|json| if json.is_empty() { columns.clone() } else { json });
        Self { json, columns, ..self.clone() }
    }

    /// Whether to write JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.json.is_some()
    }

    /// One item: JSON for programs, text for people.
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

    /// A page of items and the cursor of the next page: JSON for programs, a table for people.
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

    /// A table for people. If it is empty, a message goes to stderr.
    pub(crate) fn table(&self, table: Table) -> anyhow::Result<()> {
        if table.is_empty() {
            self.say("Nothing found.");
            return Ok(());
        }
        self.line(&table.text(self.terminal.width(), self.terminal.colour_out))
    }

    /// One JSON object per line, for streams.
    pub(crate) fn json_line(&self, thing: &impl Serialize) -> anyhow::Result<()> {
        let fields = self.json.clone().unwrap_or_default();
        self.line(&json::text(&fields.of(thing)?))
    }

    /// Data on stdout. A closed pipe, as with `head`, is an error that ends the command; `main` does not report it.
    pub(crate) fn line(&self, text: &str) -> anyhow::Result<()> {
        let mut stdout = io::stdout().lock();
        let written = writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush());
        written.context("cannot write to stdout")
    }

    /// A message on stderr. Write errors are ignored.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{}", plain(text));
        }
    }

    /// A warning on stderr.
    pub(crate) fn warn(&self, text: &str) {
        let text = plain(text);
        let _ = if self.terminal.colour_err {
            writeln!(io::stderr(), "{} {text}", "warning:".yellow())
        } else {
            writeln!(io::stderr(), "warning: {text}")
        };
    }

    /// Suggests the next command, if stderr is a terminal.
    pub(crate) fn next(&self, command: &str) {
        if self.terminal.stderr_is_terminal && self.json.is_none() {
            let command = plain(command);
            let shown = if self.terminal.colour_err { command.bold().to_string() } else { command };
            if !self.quiet {
                let _ = writeln!(io::stderr(), "\nNext: {shown}");
            }
        }
    }

    /// A failure on stderr: JSON for programs, text for people.
    pub(crate) fn failure(&self, failure: &Failure) {
        let mut stderr = io::stderr();
        if self.is_json() {
            let _ = writeln!(stderr, "{}", json::failure(failure));
            return;
        }
        let name = if self.terminal.colour_err {
            "reflect:".red().bold().to_string()
        } else {
            "reflect:".to_owned()
        };
        let request = failure.request_id.as_ref().map(|id| format!(" (request id {id})"));
        let message = plain(&format!("{}{}", failure.message, request.unwrap_or_default()));
        let _ = writeln!(stderr, "{name} {message}");
        if let Some(fix) = &failure.fix {
            let _ = writeln!(stderr, "  fix: {}", plain(fix));
        }
    }

    /// A progress bar on stderr, or a counter if the total is unknown. Hidden unless stderr is a terminal.
    pub(crate) fn progress(&self, what: &'static str, total: Option<u64>) -> ProgressBar {
        if !self.terminal.has_cursor || self.quiet || self.is_json() {
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
}

/// Writes a failure as JSON, for a command line that could not be parsed.
pub(crate) fn usage_as_json(failure: &Failure) {
    let _ = writeln!(io::stderr(), "{}", json::failure(failure));
}

/// Text on stdout, regardless of the flags.
pub(crate) fn print_text(text: &str) -> anyhow::Result<()> {
    let written = writeln!(io::stdout(), "{}", text.trim_end());
    written.context("cannot write to stdout")
}
