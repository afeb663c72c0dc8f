//! The journal of an export: the parts that are written. An interrupted export continues with it.
//!
//! An export reads one snapshot, and a continued export reads a later one. A part is reused only if its rows still have
//! the same versions; other parts are written again. So a pack always shows one snapshot: that of the latest start.

use chrono::{DateTime, Utc};
use reflect_types::ProjectSlug;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::VERSION;

/// The identity of an export. The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalStart {
    /// The version of the format.
    pub version: u32,
    /// The version of Reflect: another version may write rows differently.
    pub product: String,
    /// The project's name.
    pub slug: ProjectSlug,
    /// When the project was created: distinguishes two projects of the same name.
    pub created_at: DateTime<Utc>,
    /// The public keys that the pack is encrypted for; empty if it is not encrypted.
    #[serde(default)]
    pub recipients: Vec<String>,
}

/// One part that is written. One line of a journal each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartNote {
    /// The table.
    pub table: String,
    /// The file, relative to the folder of the pack.
    pub file: String,
    /// The number of rows.
    pub rows: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// The digest of its rows.
    pub digest: String,
    /// The key of its first row.
    pub first: Value,
    /// The key of its last row.
    pub last: Value,
    /// The sum of the versions of its rows.
    pub versions: String,
}

/// The content of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// The identity of the export.
    pub start: JournalStart,
    /// The written parts.
    pub parts: Vec<PartNote>,
}

impl JournalStart {
    /// The start of a journal for a project, not encrypted.
    pub fn new(slug: ProjectSlug, created_at: DateTime<Utc>, product: &str) -> Self {
        Self { version: VERSION, product: product.to_owned(), slug, created_at, recipients: Vec::new() }
    }
}

impl Journal {
    /// Parses a journal. The process may have died while it wrote a line: everything from the first unreadable line on
    /// is ignored. `None` without a start.
    pub fn read(text: &str) -> Option<Self> {
        // A line without its newline may be incomplete.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.lines();
        let start = serde_json::from_str(lines.next()?).ok()?;
        let parts = lines.map_while(|line| serde_json::from_str(line).ok()).collect();
        Some(Self { start, parts })
    }

    /// Removes and returns the parts of a table.
    pub fn take(&mut self, table: &str) -> Vec<PartNote> {
        let (mine, others) =
            std::mem::take(&mut self.parts).into_iter().partition(|part| part.table == table);
        self.parts = others;
        mine
    }
}

impl PartNote {
    /// Whether the rows of this part still have the versions that were written.
    pub fn is_current(&self, rows: u64, versions: i128) -> bool {
        self.rows == rows && self.versions == versions.to_string()
    }
}
