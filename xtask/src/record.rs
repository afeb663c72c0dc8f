//! `cargo xtask record NAME -- COMMAND`: runs a benchmark and appends one line to `bench/history/NAME.jsonl`.
//!
//! The line says what was run, when, at which commit, on which machine, how long it took, how it ended, and its last
//! lines of output, which are the figures. Nothing is appended if the command cannot be started.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{process, repository};

/// From the root of the repository.
const HISTORY: &str = "bench/history";
/// Every benchmark prints its result at the end.
const LINES: usize = 12;
/// Begins the line before a longer result.
const LONGER: &str = "figures:";
/// More lines than any result has.
const MOST_LINES: usize = 200;

/// The last lines of output: a few, or all of a longer result.
#[derive(Debug, Default)]
struct LastLines {
    lines: Vec<String>,
    longer: bool,
}

impl LastLines {
    fn push(&mut self, line: String) {
        if line.starts_with(LONGER) {
            *self = Self { lines: Vec::new(), longer: true };
        } else if !line.trim().is_empty() {
            self.lines.push(line);
            let most = if self.longer { MOST_LINES } else { LINES };
            self.lines.drain(..self.lines.len().saturating_sub(most));
        }
    }
}

/// Runs the command and appends to its history; fails if the command fails.
pub(crate) fn run(name: &str, command: &[&str]) -> Result<ExitCode> {
    let valid = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if !valid {
        bail!("`{name}` is not a name of a history: use lower-case letters and `-`");
    }
    let [program, arguments @ ..] = command else { bail!("a command must follow `--`") };
    let root = repository::root()?;
    let began = Instant::now();
    let mut benchmark = Command::new(program);
    benchmark.args(arguments).current_dir(&root).stdout(Stdio::piped());
    process::without_cargo_variables(&mut benchmark);
    let mut child = benchmark.spawn().with_context(|| format!("cannot run `{program}`"))?;
    let output = child.stdout.take().context("standard output is a pipe")?;
    let mut last = LastLines::default();
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        last.push(line);
    }
    let succeeded = child.wait()?.success();
    let entry = json!({
        "time": output_of("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])?,
        "commit": commit(&root)?,
        "command": command.join(" "),
        "succeeded": succeeded,
        "seconds": began.elapsed().as_secs(),
        "machine": machine()?,
        "figures": last.lines,
    });
    append(&root.join(HISTORY).join(format!("{name}.jsonl")), &entry.to_string())?;
    Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn append(path: &Path, line: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{line}").with_context(|| format!("cannot write {}", path.display()))
}

/// The commit, with a mark if the checkout has changes.
fn commit(root: &Path) -> Result<String> {
    let git = |arguments: &[&str]| {
        process::output_of(
            Command::new("git").current_dir(root).args(["-c", "safe.directory=*"]).args(arguments),
        )
    };
    let changed =
        !git(&["status", "--porcelain", "--untracked-files=no", "--", ":!bench/history"])?.is_empty();
    Ok(format!("{}{}", git(&["rev-parse", "--short=12", "HEAD"])?, if changed { "-changed" } else { "" }))
}

fn machine() -> Result<String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor =
        field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let kilobytes = field(&read("/proc/meminfo"), "MemTotal").unwrap_or_default();
    let kilobytes: u64 = kilobytes.trim_end_matches(" kB").parse().unwrap_or(0);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    Ok(format!(
        "{processor}, {cores} cores, {} GB, {}",
        kilobytes / 1_000_000,
        output_of("uname", &["-srm"])?
    ))
}

fn output_of(program: &str, arguments: &[&str]) -> Result<String> {
    process::output_of(Command::new(program).args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    #[test]
    fn lines_are_appended_to_a_file_that_may_be_missing() {
        let folder = TemporaryFolder::create();
        let path = folder.path().join("history/soak.jsonl");

        append(&path, "{}").unwrap();
        append(&path, "[]").unwrap();

        assert_eq!(fs::read_to_string(path).unwrap(), "{}\n[]\n");
    }

    #[test]
    fn the_last_lines_are_kept_or_all_of_an_announced_result() {
        let kept = |lines: &[&str]| {
            let mut last = LastLines::default();
            lines.iter().for_each(|line| last.push((*line).to_owned()));
            last.lines
        };
        let twenty = ["round"; 20];

        assert_eq!(kept(&twenty).len(), LINES);
        assert_eq!(kept(&["round", "", "ratio: 1"]), ["round", "ratio: 1"]);
        assert_eq!(kept(&[&["old", "figures: all"][..], &twenty[..]].concat()).len(), 20);
    }

    #[test]
    fn a_name_that_is_not_a_file_name_is_refused() {
        assert!(run("../x", &["true"]).is_err());
    }
}
