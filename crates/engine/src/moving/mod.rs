//! Moving a project: the format of packs, continued exports, requirements of an import, and verification. Pure rules;
//! the CLI handles files and the store handles rows.

mod arrive;
mod digest;
#[cfg(test)]
mod fuzz;
mod journal;
mod manifest;
mod verify;

pub use arrive::{numbers_in, too_old};
pub use digest::{RowsDigest, file_digest};
pub use journal::{Journal, JournalStart, PartNote};
pub use manifest::{
    FORMAT, FoldNote, KeyNote, Manifest, OmittedNote, PackError, PackPart, PackProject, PackSpace, PackTable,
    TableRows, VERSION, is_inside_pack,
};
pub use verify::{Compared, FoldTally, TableTally, Verification, compare};

#[cfg(test)]
mod tests;
