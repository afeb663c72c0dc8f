//! Runs other programs and explains their failures.
//!
//! Independent of the programs. Callers add what a failure means and how to fix it.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Enough lines to show the cause.
const TAIL_LINES: usize = 15;

/// Runs a command and returns its output. An error has the command and the end of its stderr.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let line = command_line(command);
    let output = command.output().with_context(|| format!("cannot run `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})\n{}", output.status, complaint(&output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Removes the variables that cargo sets for this program. With them, a nested cargo would rebuild many packages.
pub(crate) fn without_cargo_variables(command: &mut Command) {
    for name in ["MANIFEST_DIR", "MANIFEST_LINKS", "PKG_NAME"] {
        command.env_remove(format!("CARGO_{name}"));
    }
    for part in ["MAJOR", "MINOR", "PATCH", "PRE"] {
        command.env_remove(format!("CARGO_PKG_VERSION_{part}"));
    }
}

/// The command as it would be typed in a shell.
pub(crate) fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// The last lines of a text, indented.
pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(TAIL_LINES);
    lines[from..].iter().map(|line| format!("  | {line}")).collect::<Vec<_>>().join("\n")
}

/// Some programs print errors on stdout. It is shown if stderr is empty.
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

/// Checks a condition every 50 ms. Returns whether it became true within the limit.
pub(crate) fn wait_until(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if began.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
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
    fn a_missing_program_is_named() {
        let error = output_of(&mut Command::new("no-such-program-here")).unwrap_err().to_string();

        assert_eq!(error, "cannot run `no-such-program-here`");
    }

    #[test]
    fn output_is_returned_without_the_last_newline() {
        assert_eq!(output_of(Command::new("echo").arg("well done")).unwrap(), "well done");
    }
}
