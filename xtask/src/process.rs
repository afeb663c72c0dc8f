//! Running other programs and explaining their failures.
//!
//! Knows nothing of what is run; callers add what a failure means and what to do about it.

use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

/// Enough to show the cause, short enough to read.
const TAIL_LINES: usize = 15;

/// Runs a command to its end and returns what it printed; a failure carries the command and the tail of its errors.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output = command.output().with_context(|| format!("cannot run `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})\n{}", output.status, complaint(&output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as one would type it, to be run again by hand.
pub(crate) fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// The last lines of a text, indented as a quotation.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(TAIL_LINES);
    lines[from..].iter().map(|line| format!("  | {line}")).collect::<Vec<_>>().join("\n")
}

/// Some programs complain on standard output; that is shown when standard error is silent.
fn complaint(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.trim().is_empty() { tail(&String::from_utf8_lossy(&output.stdout)) } else { tail(&errors) }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_the_command_and_the_end_of_its_errors() {
        let script = "for i in $(seq 40); do echo line $i >&2; done; exit 3";

        let error = output_of(Command::new("sh").args(["-c", script])).unwrap_err().to_string();

        assert!(error.starts_with("`sh -c 'for i in"), "{error}");
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.ends_with("  | line 40") && !error.contains("line 25\n"), "{error}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = output_of(&mut Command::new("no-such-program-here")).unwrap_err().to_string();

        assert_eq!(error, "cannot run `no-such-program-here`");
    }

    #[test]
    fn what_a_program_prints_is_returned_without_its_last_newline() {
        assert_eq!(output_of(Command::new("echo").arg("well done")).unwrap(), "well done");
    }
}
