//! `cargo xtask tidy`: the house rules that neither the compiler nor clippy keeps.
//!
//! Each rule is a file with a pure function over the tree's texts, so that each can be shown to fire. This
//! file gathers them. It runs as a command and as a test; it never changes anything.

mod environment;
mod layers;
mod manifests;
mod names;
mod openings;
mod rust_text;
mod sizes;
mod sql_files;
mod sql_literals;
mod test_manners;
mod tree;

use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::{process, repository};
use tree::Tree;

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
    let rules: [fn(&Tree) -> Vec<Violation>; 8] = [
        environment::check,
        manifests::check,
        names::check,
        openings::check,
        sizes::check,
        sql_files::check,
        sql_literals::check,
        test_manners::check,
    ];
    let mut violations = layers::check(&metadata, &tree);
    violations.extend(rules.iter().flat_map(|rule| rule(&tree)));
    violations.sort();
    Ok(violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let violations = violations_in(&repository::root().unwrap()).unwrap();

        let listed: Vec<String> = violations.iter().map(Violation::to_string).collect();
        assert!(violations.is_empty(), "\n{}\n", listed.join("\n"));
    }
}
