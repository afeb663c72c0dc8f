//! Moving a project: what a pack is, what an export that was cut short may keep, what an import must find, and whether
//! both sides are equal. Pure rules; files are the command line's business and rows are the store's.

mod arrive;
mod digest;
mod journal;
mod manifest;
mod verify;

pub use arrive::{numbers_in, too_old};
pub use digest::{RowsDigest, file_digest};
pub use journal::{Journal, JournalStart, PartNote};
pub use manifest::{
    FORMAT, FoldNote, KeyNote, Manifest, OmittedNote, PackError, PackPart, PackProject, PackSpace, PackTable,
    TableRows, VERSION,
};
pub use verify::{Compared, FoldTally, TableTally, Verification, compare};

#[cfg(test)]
mod tests;
