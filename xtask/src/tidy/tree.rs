//! The texts the rules look at, and what a path says about a file.
//!
//! Reads the repository once; rules work on this copy and on small made-up trees alike.

use std::cell::OnceCell;
use std::path::Path;

use anyhow::{Context, Result};

use super::rust_text::RustText;
use crate::repository;

/// One file. Files that no rule reads have an empty text.
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
    taken_apart: OnceCell<RustText>,
}

/// All files of the repository.
pub(super) struct Tree {
    pub(super) files: Vec<SourceFile>,
}

/// Which kind of member a path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member<'a> {
    /// A crate of the product, by folder.
    Product(&'a str),
    /// A benchmark, which may look behind every curtain, or the driver of the conformance run.
    Bench,
    /// This tool.
    Xtask,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self> {
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

    /// A made-up tree.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| SourceFile::new((*path).into(), (*text).into()));
        Self { files: files.collect() }
    }

    /// The line of a manifest that names a dependency; the first line when none does.
    pub(super) fn dependency_line(&self, manifest: &str, name: &str) -> usize {
        let Some(file) = self.files.iter().find(|file| file.path == manifest) else { return 1 };
        let lines = file.text.lines().map(str::trim_start).enumerate();
        // Features above may have the same name.
        let mut below = lines.skip_while(|(_, line)| !line.contains("dependencies"));
        below.find(|(_, line)| line.starts_with(name)).map_or(1, |(index, _)| index + 1)
    }

    /// Rust files under a member's `src`, with the member.
    pub(super) fn rust_sources(&self) -> impl Iterator<Item = (Member<'_>, &SourceFile)> {
        let rust = self.files.iter().filter(|file| file.extension() == Some("rs"));
        rust.filter_map(|file| {
            let (member, inside) = file.member()?;
            inside.starts_with("src/").then_some((member, file))
        })
    }
}

impl SourceFile {
    fn new(path: String, text: String) -> Self {
        Self { path, text, taken_apart: OnceCell::new() }
    }

    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn extension(&self) -> Option<&str> {
        self.name().rsplit_once('.').map(|(_, extension)| extension)
    }

    /// The member a file belongs to and its path inside it.
    pub(super) fn member(&self) -> Option<(Member<'_>, &str)> {
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

    /// The text as Rust; taken apart once, because several rules ask.
    pub(super) fn rust(&self) -> &RustText {
        self.taken_apart.get_or_init(|| RustText::read(&self.text))
    }
}

/// Source texts only: pictures and locks are long and say nothing to a rule.
fn is_read(path: &str) -> bool {
    let extensions = [".rs", ".py", ".ts", ".tsx", ".sql", ".sh", "/Cargo.toml", "justfile", ".ci/run"];
    extensions.iter().any(|extension| path.ends_with(extension))
}
