//! The generated pages, and whether the committed ones are current.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::links::INDEX;
use super::page::Page;
use super::report::Complaint;
use super::world::Programs;
use super::{coverage, index, rest};
use crate::process;

/// A generated file.
pub(crate) struct Made {
    path: &'static str,
    text: String,
}

/// All generated files. Later ones depend on earlier ones.
pub(crate) fn all(root: &Path, programs: &Programs, openapi: &Value, pages: &[Page]) -> Result<Vec<Made>> {
    let output_of_command =
        |word: &str| process::output_of(Command::new(&programs.reflect).arg(word).env_clear());
    let index_text =
        std::fs::read_to_string(root.join(INDEX)).with_context(|| format!("cannot read {INDEX}"))?;
    let parts = index::parts(&index_text);
    let text_of = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    Ok(vec![
        Made { path: "docs/CONFIGURATION.md", text: output_of_command("configuration")? },
        Made { path: "docs/reference/CLI.md", text: output_of_command("command-line")? },
        Made { path: "docs/reference/REST.md", text: rest::page(openapi) },
        Made { path: coverage::PAGE, text: coverage::page(openapi, &coverage::table(root)?) },
        Made { path: "docs/SUMMARY.md", text: index::summary(&parts, pages) },
        Made { path: "llms.txt", text: index::llms(&parts) },
        Made { path: "llms-full.txt", text: index::llms_full(&parts, text_of) },
    ])
}

impl Made {
    pub(crate) fn write(&self, root: &Path) -> Result<()> {
        let path = root.join(self.path);
        std::fs::create_dir_all(path.parent().context("a page lies in a folder")?)?;
        std::fs::write(&path, self.whole()).with_context(|| format!("cannot write {}", self.path))
    }

    pub(crate) fn fault(&self, root: &Path) -> Option<Complaint> {
        let there = std::fs::read_to_string(root.join(self.path)).unwrap_or_default();
        let stale = there != self.whole();
        stale.then(|| Complaint::new(self.path, 1, "stale: `cargo xtask docs --generate` writes it"))
    }

    fn whole(&self) -> String {
        format!("{}\n", self.text.trim_end())
    }
}
