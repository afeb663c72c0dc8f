//! Questions before something is done that cannot be taken back. Without a terminal nothing is asked: it is an error that
//! names the flag.

use std::io::{self, BufRead, Write};

use super::{Output, plain};
use crate::failure::{Failure, Kind};

impl Output {
    /// Goes on after a yes, or with `--yes`.
    pub(crate) fn confirm(&self, question: &str) -> anyhow::Result<()> {
        if self.yes {
            return Ok(());
        }
        let answer = self.ask(&format!("{question} [y/N] "), "--yes")?;
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") { Ok(()) } else { Err(declined()) }
    }

    /// Goes on after the name of what goes away was typed, or with `--yes`.
    pub(crate) fn confirm_by_name(&self, warning: &str, name: &str) -> anyhow::Result<()> {
        if self.yes {
            return Ok(());
        }
        let answer = self.ask(&format!("{warning}\nType {name} to go on: "), "--yes")?;
        if answer.trim() == name { Ok(()) } else { Err(declined()) }
    }

    /// What somebody types. `instead` is what to give where nobody can be asked.
    pub(crate) fn ask(&self, question: &str, instead: &str) -> anyhow::Result<String> {
        if !self.may_ask {
            let asked = question.lines().next().unwrap_or_default().trim_end_matches(" [y/N] ");
            let message = format!("this has to be confirmed, and there is nobody to ask: {asked}");
            return Err(Failure::new(Kind::Usage, "confirmation_needed", message)
                .fix(format!("{instead} answers it"))
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
    Failure::new(Kind::Other, "declined", "nothing was done").into()
}
