//! Whether an imported project is what its pack says: by count, by content, and by what the ledger adds up to.

use reflect_store::FoldedMemory;
use serde::Serialize;

use super::digest::RowsDigest;
use super::manifest::{FoldNote, Manifest};

/// A table as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableTally {
    /// Its name.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// Their digest.
    pub digest: RowsDigest,
}

/// The ledger as it was found to add up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FoldTally {
    memories: u64,
    digest: RowsDigest,
    drifted: u64,
}

impl FoldTally {
    /// Takes in one memory, folded anew.
    pub fn add(&mut self, memory: &FoldedMemory) {
        let (q, reviews, passes, credit, evidence) = memory.folded;
        self.memories += 1;
        // Bits, because the same steps over the same numbers end at the same one.
        let (q, credit) = (q.to_bits(), credit.to_bits());
        self.digest.add(&format!("{} {q} {reviews} {passes} {credit} {evidence}", memory.memory_id));
        self.drifted += u64::from(memory.folded != memory.stored);
    }

    /// What a manifest says about it.
    pub fn note(&self) -> FoldNote {
        FoldNote { memories: self.memories, digest: self.digest.hex(), drifted: self.drifted }
    }
}

/// One thing that was compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// A table, or `ledger fold`.
    pub what: String,
    /// How many rows the pack has.
    pub rows: u64,
    /// What is wrong; none when both sides are equal.
    pub problem: Option<String>,
}

/// All that was compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Table by table, and the ledger at the end.
    pub compared: Vec<Compared>,
}

impl Verification {
    /// What differs.
    pub fn problems(&self) -> impl Iterator<Item = &Compared> {
        self.compared.iter().filter(|one| one.problem.is_some())
    }

    /// Whether both sides are equal.
    pub fn is_equal(&self) -> bool {
        self.problems().next().is_none()
    }
}

/// Holds what was found against what the manifest says. A table that the pack does not have must be empty.
pub fn compare(manifest: &Manifest, tables: &[TableTally], fold: &FoldTally) -> Verification {
    let mut compared: Vec<Compared> = tables.iter().map(|found| compare_table(manifest, found)).collect();
    for table in manifest.tables.iter().filter(|table| !tables.iter().any(|one| one.name == table.name)) {
        let problem = Some("was not looked at".to_owned());
        compared.push(Compared { what: table.name.clone(), rows: table.rows, problem });
    }
    let (said, found) = (&manifest.fold, fold.note());
    let problem = if said.memories != found.memories {
        Some(format!("{} memories instead of {}", found.memories, said.memories))
    } else if said.digest != found.digest {
        Some("folded anew, utilities end elsewhere".to_owned())
    } else if said.drifted != found.drifted {
        Some(format!("{} memories do not stand where their ledger ends", found.drifted))
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
        Some(format!("its {rows} rows have another content"))
    } else {
        None
    };
    Compared { what: found.name.clone(), rows, problem }
}
