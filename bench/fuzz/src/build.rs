//! Finds the targets: builds the unit tests of the workspace and lists those in modules named `fuzz`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

/// Variables that cargo sets for a program. A nested cargo with these variables would rebuild many packages.
const OF_THE_CALLER: [&str; 7] = [
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_PKG_NAME",
    "CARGO_PKG_VERSION_MAJOR",
    "CARGO_PKG_VERSION_MINOR",
    "CARGO_PKG_VERSION_PATCH",
    "CARGO_PKG_VERSION_PRE",
];
const PYTHON_TARGETS: &str = "sdks/python/checks/fuzz";

/// One target, as a program to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FuzzTest {
    /// The path of the test, or of the script.
    pub(crate) name: String,
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
}

impl FuzzTest {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
        command
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The targets in Rust.
pub(crate) fn rust_tests() -> anyhow::Result<Vec<FuzzTest>> {
    let mut cargo = Command::new(env!("CARGO"));
    for name in OF_THE_CALLER {
        cargo.env_remove(name);
    }
    cargo.current_dir(root()).stderr(Stdio::inherit());
    cargo.args(["test", "--workspace", "--locked", "--lib", "--bins", "--no-run", "--quiet"]);
    let output = cargo.arg("--message-format=json").output().context("cannot run cargo")?;
    ensure!(output.status.success(), "the tests do not build");
    let mut tests = Vec::new();
    for (program, folder) in programs(&String::from_utf8_lossy(&output.stdout)) {
        let list = Command::new(&program).args(["--list", "--format", "terse"]).output()?;
        for name in targets(&String::from_utf8_lossy(&list.stdout)) {
            let arguments = ["--exact", "--nocapture", &name].map(str::to_owned).to_vec();
            tests.push(FuzzTest { name, program: program.clone(), arguments, folder: folder.clone() });
        }
    }
    Ok(tests)
}

/// The targets of the Python SDK: scripts that print the same lines.
pub(crate) fn python_tests(python: &Path) -> anyhow::Result<Vec<FuzzTest>> {
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(root().join(PYTHON_TARGETS)).context(PYTHON_TARGETS)? {
        let script = entry?.path();
        let name = script.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".py") && !name.starts_with('_') {
            let arguments = vec![script.display().to_string()];
            tests.push(FuzzTest { name, program: python.to_owned(), arguments, folder: root() });
        }
    }
    Ok(tests)
}

/// The test programs that cargo has built, with the folders of their packages.
fn programs(messages: &str) -> BTreeMap<PathBuf, PathBuf> {
    let message = |line: &str| -> Option<(PathBuf, PathBuf)> {
        let message: Value = serde_json::from_str(line).ok()?;
        let program = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some((program.into(), manifest.parent()?.to_owned()))
    };
    messages.lines().filter_map(message).collect()
}

/// The tests in modules named `fuzz`.
fn targets(list: &str) -> Vec<String> {
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.filter(|name| name.starts_with("fuzz::") || name.contains("::fuzz::")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_and_their_targets_are_found() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","executable":null,"profile":{"test":false},"manifest_path":"/a/Cargo.toml"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","executable":"/t/a-1","profile":{"test":true},"manifest_path":"/a/Cargo.toml"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","executable":"/t/x","profile":{"test":false},"manifest_path":"/a/Cargo.toml"}"#,
        );
        assert_eq!(programs(messages), BTreeMap::from([("/t/a-1".into(), "/a".into())]));

        let list =
            "filter::fuzz::any_filter: test\nfuzz::any_text: test\nfuzzy::x: test\nfilter::tests::y: test\n";
        assert_eq!(targets(list), ["filter::fuzz::any_filter", "fuzz::any_text"]);
    }
}
