//! Questions before a command that cannot be undone. Without a terminal nothing is asked: the command fails and names
//! the flag to use.

use std::io::{self, BufRead, Write};

use super::sanitize::plain;
use crate::failure::{Failure, Kind};

/// Asks the user for confirmation.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    /// `--yes` was given.
    pub(super) assume_yes: bool,
    pub(super) is_interactive: bool,
}

impl Prompt {
    /// Whether the user can be asked.
    pub(crate) const fn is_interactive(&self) -> bool {
        self.is_interactive
    }

    /// Returns `Ok` after a yes, or with `--yes`.
    pub(crate) fn confirm(&self, question: &str) -> anyhow::Result<()> {
        if self.assume_yes {
            return Ok(());
        }
        let answer = self.ask(&format!("{question} [y/N] "), "--yes")?;
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") { Ok(()) } else { Err(declined()) }
    }

    /// Returns `Ok` after the user typed the name, or with `--yes`.
    pub(crate) fn confirm_by_name(&self, warning: &str, name: &str) -> anyhow::Result<()> {
        if self.assume_yes {
            return Ok(());
        }
        let answer = self.ask(&format!("{warning}\nType {name} to continue: "), "--yes")?;
        if answer.trim() == name { Ok(()) } else { Err(declined()) }
    }

    /// What the user types. `flag` is what to use if the user cannot be asked.
    pub(crate) fn ask(&self, question: &str, flag: &str) -> anyhow::Result<String> {
        if !self.is_interactive {
            let asked = question.lines().next().unwrap_or_default().trim_end_matches(" [y/N] ");
            let message = format!("this needs a confirmation, and there is no terminal to ask on: {asked}");
            return Err(Failure::new(Kind::Usage, "confirmation_needed", message)
                .fix(format!("add {flag}"))
                .into());
        }
        let mut stderr = io::stderr();
        write!(stderr, "{}", plain(question))?;
        stderr.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(answer)
    }
}

fn declined() -> anyhow::Error {
    Failure::new(Kind::Other, "declined", "canceled; nothing was changed").into()
}
