//! Whether an imported project equals its pack: number of rows, content, and the result of the ledger.

use reflect_store::FoldedMemory;
use serde::Serialize;

use super::digest::RowsDigest;
use super::manifest::{FoldNote, Manifest};

/// A table in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableTally {
    /// Its name.
    pub name: String,
    /// The number of rows.
    pub rows: u64,
    /// The digest of the rows.
    pub digest: RowsDigest,
}

/// The result of the ledger in the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FoldTally {
    memories: u64,
    digest: RowsDigest,
    drifted: u64,
}

impl FoldTally {
    /// Adds one memory with recomputed values.
    pub fn add(&mut self, memory: &FoldedMemory) {
        let (q, reviews, passes, credit, evidence) = memory.folded;
        self.memories += 1;
        // As bits, because the same computation gives exactly the same floating-point numbers.
        let (q, credit) = (q.to_bits(), credit.to_bits());
        self.digest.add(&format!("{} {q} {reviews} {passes} {credit} {evidence}", memory.memory_id));
        self.drifted += u64::from(memory.folded != memory.stored || !memory.checkpoints_hold);
    }

    /// The entry in a manifest.
    pub fn note(&self) -> FoldNote {
        FoldNote { memories: self.memories, digest: self.digest.hex(), drifted: self.drifted }
    }
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// A table, or `ledger fold`.
    pub what: String,
    /// The number of rows in the pack.
    pub rows: u64,
    /// The difference; `None` if both sides are equal.
    pub problem: Option<String>,
}

/// All comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Each table, and then the ledger.
    pub compared: Vec<Compared>,
}

impl Verification {
    /// The comparisons that differ.
    pub fn problems(&self) -> impl Iterator<Item = &Compared> {
        self.compared.iter().filter(|one| one.problem.is_some())
    }

    /// Whether both sides are equal.
    pub fn is_equal(&self) -> bool {
        self.problems().next().is_none()
    }
}

/// Compares the database with the manifest. A table that the pack does not contain must be empty.
pub fn compare(manifest: &Manifest, tables: &[TableTally], fold: &FoldTally) -> Verification {
    let mut compared: Vec<Compared> = tables.iter().map(|found| compare_table(manifest, found)).collect();
    for table in manifest.tables.iter().filter(|table| !tables.iter().any(|one| one.name == table.name)) {
        let problem = Some("was not checked".to_owned());
        compared.push(Compared { what: table.name.clone(), rows: table.rows, problem });
    }
    let (said, found) = (&manifest.fold, fold.note());
    let problem = if said.memories != found.memories {
        Some(format!("{} memories instead of {}", found.memories, said.memories))
    } else if said.digest != found.digest {
        Some("the recomputed utilities differ".to_owned())
    } else if said.drifted != found.drifted {
        Some(format!("{} memories differ from their ledger", found.drifted))
    } else {
        None
    };
    compared.push(Compared { what: "ledger fold".to_owned(), rows: said.memories, problem });
    Verification { compared }
}

fn compare_table(manifest: &Manifest, found: &TableTally) -> Compared {
    let said = manifest.tables.iter().find(|table| table.name == found.name);
    let (rows, digest) =
        said.map_or((0, RowsDigest::default().hex()), |table| (table.rows, table.digest.clone()));
    let problem = if rows != found.rows {
        Some(format!("{} rows instead of {rows}", found.rows))
    } else if digest != found.digest.hex() {
        Some(format!("its {rows} rows have different content"))
    } else {
        None
    };
    Compared { what: found.name.clone(), rows, problem }
}
