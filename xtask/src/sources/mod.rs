//! The source texts that `tidy` and `house` check, and what a path says about a file.
//!
//! Reads the repository once. Tests use small trees in memory instead.

mod rust_text;

use std::cell::OnceCell;
use std::path::Path;

use anyhow::{Context, Result};

use crate::repository;
use rust_text::RustText;

/// One file. Files that no rule reads have an empty text.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
    rust: OnceCell<RustText>,
}

/// All files of the repository.
pub(crate) struct Tree {
    pub(crate) files: Vec<SourceFile>,
}

/// Which kind of member a path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member<'a> {
    /// A crate of the product, by folder.
    Product(&'a str),
    /// A benchmark or the driver of the conformance run. It may use internals of any crate.
    Bench,
    /// This tool.
    Xtask,
}

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        for path in repository::files(root)? {
            let on_disk = root.join(&path);
            // A file that git still lists may have just been removed.
            if !on_disk.is_file() {
                continue;
            }
            let text = if is_read(&path) {
                let bytes = std::fs::read(&on_disk).with_context(|| format!("cannot read {path}"))?;
                String::from_utf8_lossy(&bytes).into_owned()
            } else {
                String::new()
            };
            files.push(SourceFile::new(path, text));
        }
        Ok(Self { files })
    }

    /// A tree in memory, for tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| SourceFile::new((*path).into(), (*text).into()));
        Self { files: files.collect() }
    }

    /// The line of a manifest that names a dependency, or 1.
    pub(crate) fn dependency_line(&self, manifest: &str, name: &str) -> usize {
        let Some(file) = self.files.iter().find(|file| file.path == manifest) else { return 1 };
        let lines = file.text.lines().map(str::trim_start).enumerate();
        // Features above may have the same name.
        let mut below = lines.skip_while(|(_, line)| !line.contains("dependencies"));
        below.find(|(_, line)| line.starts_with(name)).map_or(1, |(index, _)| index + 1)
    }

    /// Rust files under a member's `src`, with the member.
    pub(crate) fn rust_sources(&self) -> impl Iterator<Item = (Member<'_>, &SourceFile)> {
        let rust = self.files.iter().filter(|file| file.extension() == Some("rs"));
        rust.filter_map(|file| {
            let (member, inside) = file.member()?;
            inside.starts_with("src/").then_some((member, file))
        })
    }
}

impl SourceFile {
    fn new(path: String, text: String) -> Self {
        Self { path, text, rust: OnceCell::new() }
    }

    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(crate) fn extension(&self) -> Option<&str> {
        self.name().rsplit_once('.').map(|(_, extension)| extension)
    }

    /// Whether a file holds only tests, by its path.
    pub(crate) fn is_test(&self) -> bool {
        let folder =
            self.path.split('/').rev().skip(1).any(|part| ["tests", "e2e", "fixtures"].contains(&part));
        let name = self.name();
        let own_name =
            ["tests.rs", "fuzz.rs"].contains(&name) || name.starts_with("test_") || name == "conftest.py";
        folder || own_name || name.contains(".test.") || name.contains(".spec.")
    }

    /// The member a file belongs to and its path inside it.
    pub(crate) fn member(&self) -> Option<(Member<'_>, &str)> {
        if let Some(inside) = self.path.strip_prefix("xtask/") {
            return Some((Member::Xtask, inside));
        }
        if let Some(rest) = self.path.strip_prefix("bench/") {
            return rest.split_once('/').map(|(_, inside)| (Member::Bench, inside));
        }
        if let Some(inside) = self.path.strip_prefix("conformance/rust-driver/") {
            return Some((Member::Bench, inside));
        }
        let (folder, inside) = self.path.strip_prefix("crates/")?.split_once('/')?;
        Some((Member::Product(folder), inside))
    }

    /// The text as Rust tokens. Parsed once, because several rules use it.
    pub(crate) fn rust(&self) -> &RustText {
        self.rust.get_or_init(|| RustText::read(&self.text))
    }
}

/// Source texts and documentation only: no rule reads pictures or lock files.
fn is_read(path: &str) -> bool {
    let extensions = [
        ".rs",
        ".py",
        ".ts",
        ".tsx",
        ".sql",
        ".sh",
        ".md",
        ".html",
        "Cargo.toml",
        "justfile",
        ".ci/run",
        ".ci/steps",
    ];
    extensions.iter().any(|extension| path.ends_with(extension))
}
