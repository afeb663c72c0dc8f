//! The two processes that run the blocks of a page: a shell and a Python process, each with its own state.
//!
//! Both handle one request at a time and answer with one line. They have their own process groups, which are killed
//! with the session, including all processes that a page left running.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// The time limit of one block.
const BLOCK_TIMEOUT: Duration = Duration::from_secs(180);

/// Reads the name of a file with a command, runs the command in this shell, and prints its exit code.
const SHELL: &str = r#"while IFS= read -r folder; do
    eval "$(cat "$folder/command")" >"$folder/printed" 2>&1 </dev/null
    printf '%s\n' "$?"
done"#;

const PYTHON: &str = include_str!("session.py");

/// The environment of the programs of a page.
pub(crate) type Environment = BTreeMap<String, String>;

/// A process that answers each line with a line.
struct Partner {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Partner {
    fn start(command: &mut Command, environment: &Environment, folder: &Path) -> Result<Self> {
        let mut child = command
            .env_clear()
            .envs(environment)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot run {}", command.get_program().display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("standard output is a pipe")?;
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Ok(Self { child, input, answers })
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        let input = self.input.as_mut().context("the process is there")?;
        writeln!(input, "{line}").context("the process of this page has ended")?;
        match self.answers.recv_timeout(BLOCK_TIMEOUT) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => bail!("not done after {} s", BLOCK_TIMEOUT.as_secs()),
            Err(RecvTimeoutError::Disconnected) => bail!("the process of this page has ended"),
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        // If the group has already ended, there is nothing to do.
        self.input.take();
        for signal in ["-TERM", "-KILL"] {
            let group = format!("-{}", self.child.id());
            let asked = Command::new("kill").args([signal, "--", &group]).stderr(Stdio::null()).status();
            let gone = !asked.is_ok_and(|status| status.success());
            if gone || crate::process::wait_until(Duration::from_secs(10), || self.group_is_gone()) {
                break;
            }
        }
        let _ = self.child.wait();
    }
}

impl Partner {
    fn group_is_gone(&mut self) -> bool {
        // Wait first: a process that was not waited for still counts as a member of its group.
        let _ = self.child.try_wait();
        let group = format!("-{}", self.child.id());
        let asked = Command::new("kill").args(["-0", "--", &group]).stderr(Stdio::null()).status();
        !asked.is_ok_and(|status| status.success())
    }
}

/// The shell of a page.
pub(crate) struct Shell {
    partner: Partner,
    scratch: PathBuf,
    asked: usize,
}

impl Shell {
    pub(crate) fn start(environment: &Environment, folder: &Path, scratch: &Path) -> Result<Self> {
        let partner = Partner::start(Command::new("bash").args(["-c", SHELL]), environment, folder)?;
        Ok(Self { partner, scratch: scratch.to_owned(), asked: 0 })
    }

    /// Runs a command. Returns its exit code and its output.
    pub(crate) fn run(&mut self, command: &str) -> Result<(String, String)> {
        let folder = self.note(command)?;
        let code = self.partner.ask(&folder.to_string_lossy())?;
        Ok((code, read(&folder.join("printed"))))
    }

    /// Starts a command and leaves it running. Returns the file with its output.
    pub(crate) fn start_behind(&mut self, command: &str) -> Result<PathBuf> {
        let folder = self.note(&format!("{command} &"))?;
        self.partner.ask(&folder.to_string_lossy())?;
        Ok(folder.join("printed"))
    }

    fn note(&mut self, command: &str) -> Result<PathBuf> {
        self.asked += 1;
        let folder = self.scratch.join(format!("command-{}", self.asked));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("command"), command)?;
        Ok(folder)
    }
}

/// The current content of a file.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The Python process of a page.
pub(crate) struct Python {
    partner: Partner,
}

impl Python {
    pub(crate) fn start(interpreter: &Path, environment: &Environment, folder: &Path) -> Result<Self> {
        let mut command = Command::new(interpreter);
        Ok(Self { partner: Partner::start(command.args(["-c", PYTHON]), environment, folder)? })
    }

    /// Runs a block. Returns its output, or the error.
    pub(crate) fn run(&mut self, path: &str, line: usize, text: &str) -> Result<Result<String, String>> {
        let told = json!({"path": path, "line": line, "text": text});
        let answer: Value = serde_json::from_str(&self.partner.ask(&told.to_string())?)?;
        let printed = answer["printed"].as_str().unwrap_or_default().to_owned();
        Ok(match answer["wrong"].as_str() {
            Some(wrong) => Err(format!("{wrong}--- it printed\n{printed}")),
            None => Ok(printed),
        })
    }
}
