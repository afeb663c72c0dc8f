//! `cargo xtask tidy`: the project rules that neither the compiler nor clippy checks.
//!
//! Each rule is a file with a pure function over the source texts, so a test can show that it finds a violation. This
//! file runs them all, as a command and as a test. It never changes anything.

mod ci_steps;
mod environment;
mod layers;
mod manifests;
mod migrations;
mod names;
mod openings;

mod sizes;
mod sql_files;
mod sql_literals;
mod test_manners;
mod type_names;

use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::house::marker_words::{LIST, MarkerWords};
use crate::sources::Tree;
use crate::{process, repository};

/// A broken rule and where.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    path: String,
    line: usize,
    why: String,
}

impl Violation {
    fn new(path: &str, line: usize, why: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, why: why.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.why)
    }
}

/// Prints every violation; any of them fails the command.
pub(crate) fn run() -> Result<ExitCode> {
    let violations = violations_in(&repository::root()?)?;
    for violation in &violations {
        println!("{violation}");
    }
    if violations.is_empty() {
        println!("tidy");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} violations", violations.len());
    Ok(ExitCode::FAILURE)
}

fn violations_in(root: &Path) -> Result<Vec<Violation>> {
    let tree = Tree::read(root)?;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["metadata", "--format-version", "1", "--no-deps"]);
    let metadata = process::output_of(&mut cargo).context("cannot read the workspace's crates")?;
    let metadata = serde_json::from_str(&metadata).context("cargo's answer cannot be read")?;
    let rules: [fn(&Tree) -> Vec<Violation>; 11] = [
        ci_steps::check,
        environment::check,
        manifests::check,
        migrations::check,
        names::check,
        openings::check,
        sizes::check,
        sql_files::check,
        sql_literals::check,
        test_manners::check,
        type_names::check,
    ];
    let mut violations = layers::check(&metadata, &tree);
    violations.extend(rules.iter().flat_map(|rule| rule(&tree)));
    let words = MarkerWords::read(root)?.search(&tree).into_iter().map(|found| {
        Violation::new(
            &found.path,
            found.line,
            format!("`{}` is on the list of {LIST}: write plainly", found.word),
        )
    });
    violations.extend(words);
    violations.sort();
    Ok(violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_has_no_violations() {
        let violations = violations_in(&repository::root().unwrap()).unwrap();

        let listed: Vec<String> = violations.iter().map(Violation::to_string).collect();
        assert!(violations.is_empty(), "\n{}\n", listed.join("\n"));
    }
}
