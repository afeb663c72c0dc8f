//! `cargo xtask readme`: runs the README's start as a newcomer would type it, so that it cannot rot.
//!
//! Only the `sh` blocks under "## Start" are commands. They share one shell and one environment, from the
//! repository's root. Whatever they start in the background ends with the run; what they do is their business.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::repository;

const SECTION: &str = "## Start";

/// Whether to run the script or only to show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Run,
    Print,
}

/// Tenths of a second that background processes have to end by themselves.
const PATIENCE: u32 = 50;

/// The shell leads a process group of its own and ends the whole group when it ends. Its standard input is a
/// lifeline: it closes when this program dies, however that happens, and then the group goes too. Both ask more
/// than once, because a shell that is just about to start a command forgets a request to end.
const PROLOGUE: &str = r#"set -euo pipefail
exec 9<&0 </dev/null
( read -r -u 9 _ || { trap '' TERM; kill -TERM 0; sleep 2; kill -KILL 0; } ) &
end_group() {
    status=$?
    trap - DEBUG ERR
    trap '' TERM
    for _ in $(seq "$patience"); do
        kill -TERM 0
        [ -n "$(jobs -pr)" ] || exit "$status"
        sleep 0.1
    done
    kill -KILL $(jobs -pr) || true
    exit "$status"
}
trap end_group EXIT
trap 'printf "failed: %s\n" "$BASH_COMMAND" >&2' ERR
trap 'printf "$ %s\n" "$BASH_COMMAND"' DEBUG
"#;

/// Runs or prints the start of the README.
pub(crate) fn run(mode: Mode) -> Result<ExitCode> {
    let root = repository::root()?;
    let text = std::fs::read_to_string(root.join("README.md")).context("cannot read README.md")?;
    let commands = start_commands(&text)?;
    if mode == Mode::Print {
        print!("{commands}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut shell = shell(&commands, PATIENCE);
    let mut child = shell.current_dir(root).spawn().context("cannot run bash")?;
    // Waiting closes standard input, so the lifeline has to be held aside.
    let lifeline = child.stdin.take();
    let status = child.wait()?;
    drop(lifeline);
    if !status.success() {
        bail!("the README's start does not work as written ({status})");
    }
    println!("the README's start works as written");
    Ok(ExitCode::SUCCESS)
}

fn shell(commands: &str, patience: u32) -> Command {
    let mut bash = Command::new("bash");
    bash.arg("-c")
        .arg(format!("patience={patience}\n{PROLOGUE}{commands}"))
        .stdin(Stdio::piped())
        .process_group(0);
    // What cargo says of this program would make the reader's cargo build half the tree anew.
    for name in ["MANIFEST_DIR", "MANIFEST_LINKS", "PKG_NAME"] {
        bash.env_remove(format!("CARGO_{name}"));
    }
    for part in ["MAJOR", "MINOR", "PATCH", "PRE"] {
        bash.env_remove(format!("CARGO_PKG_VERSION_{part}"));
    }
    bash
}

/// The commands of the section, block after block.
fn start_commands(readme: &str) -> Result<String> {
    let mut lines = readme.lines().skip_while(|line| line.trim_end() != SECTION);
    lines.next().with_context(|| format!("README.md has no section `{SECTION}`"))?;
    let mut commands = String::new();
    let mut fence = None;
    for line in lines {
        match fence {
            None if line.starts_with("## ") => break,
            None if line.starts_with("```") => fence = Some(line.trim_end() == "```sh"),
            Some(_) if line.trim_end() == "```" => fence = None,
            Some(true) => commands.extend([line, "\n"]),
            _ => {}
        }
    }
    if commands.is_empty() {
        bail!("the section `{SECTION}` of README.md has no block of `sh`");
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    const README: &str = "# Reflect\n\n```sh\nnot yet\n```\n\n## Start\n\nFirst:\n\n```sh\n## a comment\ncd docs\n```\n\
        Then it answers:\n\n```json\n{}\n```\n\n```sh\ncurl localhost\n```\n\n## Next\n\n```sh\nnot any more\n```\n";

    #[test]
    fn only_the_sh_blocks_of_the_start_are_commands() {
        assert_eq!(start_commands(README).unwrap(), "## a comment\ncd docs\ncurl localhost\n");
    }

    #[test]
    fn a_readme_without_a_start_is_an_error() {
        assert!(start_commands("# Reflect\n").is_err());
        assert!(start_commands("## Start\n\n```json\n{}\n```\n").is_err());
    }

    #[test]
    fn commands_share_one_shell_and_are_shown() {
        let output = run_to_end("name=world\necho \"hello $name\"\n");

        assert!(output.0, "{}", output.1);
        assert!(output.1.contains("$ echo \"hello $name\"\nhello world\n"), "{}", output.1);
    }

    #[test]
    fn the_first_failing_command_fails_the_run() {
        let (success, printed) = run_to_end("false\necho unreachable\n");

        assert!(!success && !printed.contains("unreachable"), "{printed}");
    }

    #[test]
    fn what_was_started_in_the_background_ends_with_the_run() {
        // The pipe of standard output only closes when nobody holds it any more: that the run returns is the proof.
        let (success, printed) = run_to_end("sleep 600 &\necho started\n");

        assert!(success && printed.contains("started\n"), "{printed}");
    }

    #[test]
    fn what_does_not_want_to_end_is_ended() {
        let stubborn = "pipe=$(mktemp -u)\nmkfifo \"$pipe\"\n\
            bash -c 'trap \"\" TERM; echo > \"$0\"; exec sleep 600' \"$pipe\" &\n\
            read -r _ < \"$pipe\"\nrm \"$pipe\"\necho deaf\n";

        let (success, printed) = run_to_end(stubborn);

        assert!(success && printed.contains("deaf\n"), "{printed}");
    }

    #[test]
    fn everything_ends_when_the_lifeline_is_cut() {
        let mut bash = shell("echo ready\nsleep 600\n", PATIENCE);
        let mut child = bash.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdin.take());

        let mut printed = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut printed).unwrap();
        assert!(!child.wait().unwrap().success(), "{printed}");
    }

    fn run_to_end(commands: &str) -> (bool, String) {
        let mut child = shell(commands, 5).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lifeline = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(lifeline);
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
