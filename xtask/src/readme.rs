//! `cargo xtask readme`: runs the commands of docs/how-to/run-from-source.md, the README's start from source.
//!
//! Only the `sh no-run=runs-elsewhere` blocks are commands: the documentation check leaves them to this run. They
//! share one shell and one environment, in the repository's root. Background processes end with the run.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::process::without_cargo_variables;
use crate::repository;

const PAGE: &str = "docs/how-to/run-from-source.md";
const FENCE: &str = "```sh no-run=runs-elsewhere";

/// Whether to run the script or only to show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Run,
    Print,
}

/// How long background processes may take to end after SIGTERM, in tenths of a second.
const GRACE_TENTHS: u32 = 50;

/// The shell has its own process group and kills the group when it ends. A subshell reads the standard input of the
/// shell. It is a pipe from this program, so it reaches its end if this program dies for any reason. Then the subshell
/// kills the group. Signals are sent more than once, because a shell can lose a signal while it starts a command.
const PROLOGUE: &str = r#"set -euo pipefail
exec 9<&0 </dev/null
( read -r -u 9 _ || { trap '' TERM; kill -TERM 0; sleep 2; kill -KILL 0; } ) &
end_group() {
    status=$?
    trap - DEBUG ERR
    trap '' TERM
    for _ in $(seq "$grace_tenths"); do
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

/// Runs or prints the commands of the page.
pub(crate) fn run(mode: Mode) -> Result<ExitCode> {
    let root = repository::root()?;
    let text = std::fs::read_to_string(root.join(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    let commands = start_commands(&text)?;
    if mode == Mode::Print {
        print!("{commands}");
        return Ok(ExitCode::SUCCESS);
    }
    let mut shell = shell(&commands, GRACE_TENTHS);
    let mut child = shell.current_dir(root).spawn().context("cannot run bash")?;
    // `wait` closes standard input, so the pipe is kept open in this variable.
    let stdin_pipe = child.stdin.take();
    let status = child.wait()?;
    drop(stdin_pipe);
    if !status.success() {
        bail!("{PAGE} does not work as written ({status})");
    }
    println!("{PAGE} works as written");
    Ok(ExitCode::SUCCESS)
}

fn shell(commands: &str, grace_tenths: u32) -> Command {
    let mut bash = Command::new("bash");
    bash.arg("-c")
        .arg(format!("grace_tenths={grace_tenths}\n{PROLOGUE}{commands}"))
        .stdin(Stdio::piped())
        .process_group(0);
    without_cargo_variables(&mut bash);
    bash
}

/// The commands of the page, block after block.
fn start_commands(page: &str) -> Result<String> {
    let mut commands = String::new();
    let mut fence = None;
    for line in page.lines() {
        match fence {
            None if line.starts_with("```") => fence = Some(line.trim_end() == FENCE),
            Some(_) if line.trim_end() == "```" => fence = None,
            Some(true) => commands.extend([line, "\n"]),
            _ => {}
        }
    }
    if commands.is_empty() {
        bail!("{PAGE} has no block `{FENCE}`");
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Run\n\n```console\n$ not this\n```\n\n```sh no-run=runs-elsewhere\n## a comment\ncd docs\n```\n\
        The response:\n\n```json\n{}\n```\n\n```sh no-run=runs-elsewhere\ncurl localhost\n```\n\n```sh\nnot this\n```\n";

    #[test]
    fn only_the_sh_blocks_that_run_elsewhere_are_commands() {
        assert_eq!(start_commands(TEXT).unwrap(), "## a comment\ncd docs\ncurl localhost\n");
    }

    #[test]
    fn a_page_without_commands_is_an_error() {
        assert!(start_commands("# Run\n").is_err());
        assert!(start_commands("```json\n{}\n```\n").is_err());
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
    fn background_processes_end_with_the_run() {
        // The pipe of standard output closes when no process holds it. So the run returns only if the background
        // process has ended.
        let (success, printed) = run_to_end("sleep 600 &\necho started\n");

        assert!(success && printed.contains("started\n"), "{printed}");
    }

    #[test]
    fn a_process_that_ignores_sigterm_is_killed() {
        let commands = "pipe=$(mktemp -u)\nmkfifo \"$pipe\"\n\
            bash -c 'trap \"\" TERM; echo > \"$0\"; exec sleep 600' \"$pipe\" &\n\
            read -r _ < \"$pipe\"\nrm \"$pipe\"\necho ignoring\n";

        let (success, printed) = run_to_end(commands);

        assert!(success && printed.contains("ignoring\n"), "{printed}");
    }

    #[test]
    fn all_processes_end_when_stdin_closes() {
        let mut bash = shell("echo ready\nsleep 600\n", GRACE_TENTHS);
        let mut child = bash.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdin.take());

        let mut printed = String::new();
        std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut printed).unwrap();
        assert!(!child.wait().unwrap().success(), "{printed}");
    }

    fn run_to_end(commands: &str) -> (bool, String) {
        let mut child = shell(commands, 5).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdin_pipe = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(stdin_pipe);
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
