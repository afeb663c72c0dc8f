//! The migrations of this checkout, to recognise them among the statements of `reflect migrate`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/store/migrations");

/// Migrations by number.
#[derive(Debug, Clone)]
pub(crate) struct Migrations(Arc<BTreeMap<i64, String>>);

impl Migrations {
    /// Reads the files.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let mut found = BTreeMap::new();
        for entry in std::fs::read_dir(Path::new(FOLDER))? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).context("a file has no name")?;
            let (number, _) = name.split_once('_').with_context(|| format!("{name} has no number"))?;
            found.insert(number.parse()?, std::fs::read_to_string(&path)?);
        }
        ensure!(!found.is_empty(), "there are no migrations");
        Ok(Self(Arc::new(found)))
    }

    /// The number of the migration with this text.
    pub(crate) fn version_of(&self, statement: &str) -> Option<i64> {
        self.0.iter().find(|(_, text)| text.as_str() == statement).map(|(version, _)| *version)
    }

    /// The numbers after this one.
    pub(crate) fn after(&self, last: i64) -> Vec<i64> {
        self.0.range(last + 1..).map(|(version, _)| *version).collect()
    }
}
