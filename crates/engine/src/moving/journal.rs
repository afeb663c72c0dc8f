//! The journal of an export: which parts are written, so that one that was cut short need not begin at the beginning.
//!
//! An export is of one moment, and one that goes on is of a later one. A part is kept when its rows are still the very
//! versions that were written; all others are written anew. So a pack is always of one moment: that of the last start.

use chrono::{DateTime, Utc};
use reflect_types::ProjectSlug;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifest::VERSION;

/// Whose export it is. The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalStart {
    /// The version of the format.
    pub version: u32,
    /// The version of Reflect: another one may write rows in another way.
    pub product: String,
    /// The project's name.
    pub slug: ProjectSlug,
    /// When it was made: tells two projects of one name apart.
    pub created_at: DateTime<Utc>,
}

/// One part that is on the disk. One line of a journal each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartNote {
    /// The table.
    pub table: String,
    /// The file, from the folder of the pack.
    pub file: String,
    /// How many rows.
    pub rows: u64,
    /// How many bytes the file has.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// The digest of its rows.
    pub digest: String,
    /// The key of its first row.
    pub first: Value,
    /// The key of its last row.
    pub last: Value,
    /// The sum of the versions of its rows, as a number.
    pub versions: String,
}

/// What an export wrote down.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// Whose it is.
    pub start: JournalStart,
    /// What is written.
    pub parts: Vec<PartNote>,
}

impl JournalStart {
    /// Of a project, as this program writes it.
    pub fn new(slug: ProjectSlug, created_at: DateTime<Utc>, product: &str) -> Self {
        Self { version: VERSION, product: product.to_owned(), slug, created_at }
    }
}

impl Journal {
    /// Reads a journal. The process may have died while it wrote a line: from the first one that makes no sense on,
    /// nothing counts. None when there is no start.
    pub fn read(text: &str) -> Option<Self> {
        // Without its end a line may be half of one that would read as a whole.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.lines();
        let start = serde_json::from_str(lines.next()?).ok()?;
        let parts = lines.map_while(|line| serde_json::from_str(line).ok()).collect();
        Some(Self { start, parts })
    }

    /// Takes out what is noted of a table.
    pub fn take(&mut self, table: &str) -> Vec<PartNote> {
        let (mine, others) =
            std::mem::take(&mut self.parts).into_iter().partition(|part| part.table == table);
        self.parts = others;
        mine
    }
}

impl PartNote {
    /// Whether the rows between the part before and the end of this one are the ones that were written.
    pub fn is_current(&self, rows: u64, versions: i128) -> bool {
        self.rows == rows && self.versions == versions.to_string()
    }
}
