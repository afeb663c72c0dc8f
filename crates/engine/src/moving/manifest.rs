//! The manifest: what a pack holds, and by which it is checked. Written last, so a pack that has one is whole.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reflect_store::{LEFT_BEHIND, MOVED_TABLES, MovedProject, SpaceId, SpaceName, SpaceRow};
use reflect_types::{MemoryId, ProjectSlug};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// What every manifest calls itself.
pub const FORMAT: &str = "reflect-pack";
/// The version of the format that is written, and the highest that is read.
pub const VERSION: u32 = 1;

/// What is wrong with a pack, or with importing it here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// It is something else.
    #[error("the manifest is not one of a pack: {0}")]
    NotAPack(String),
    /// A newer program wrote it.
    #[error(
        "the pack has version {found} of the format; this program reads up to {VERSION}: take a newer one"
    )]
    TooNew {
        /// The version that it has.
        found: u32,
    },
    /// It holds rows that this program has no place for.
    #[error("the pack holds the table `{0}`, which this program does not know: take a newer one")]
    UnknownTable(String),
    /// It contradicts itself.
    #[error("the manifest contradicts itself: {0}")]
    Contradiction(String),
    /// What it holds would be dropped by the next round of maintenance.
    #[error(
        "rows of `{table}` go back to {oldest}, and this installation keeps them for {days} days: raise `keep` of \
         `{table}` in the table partition_plan first, or leave the pack as it is"
    )]
    Expired {
        /// The table.
        table: String,
        /// The day of its oldest row.
        oldest: String,
        /// For how many days rows are kept.
        days: u64,
    },
}

/// All that is said about a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The version of Reflect that wrote it.
    pub product: String,
    /// As of when rows were read.
    pub made_at: DateTime<Utc>,
    /// The project itself.
    pub project: PackProject,
    /// The embedding spaces that rows name, by the numbers that they name them by.
    pub spaces: Vec<PackSpace>,
    /// The tables in the order in which they are imported.
    pub tables: Vec<PackTable>,
    /// Where utilities and credits stand after the ledger.
    pub fold: FoldNote,
    /// What is not in the pack, and why.
    pub omitted: Vec<OmittedNote>,
    /// The keys that worked, to be made anew where the project goes. Nothing of them is secret.
    pub keys: Vec<KeyNote>,
}

/// The project, without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackProject {
    /// Its name.
    pub slug: ProjectSlug,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// What was set for it.
    pub settings: Value,
    /// Where its memories are searched.
    pub read_space: Option<SpaceId>,
    /// Where new memories are placed.
    pub write_spaces: Vec<SpaceId>,
    /// The least similarity that was set for a space.
    pub space_thresholds: BTreeMap<SpaceId, f32>,
    /// The memories that every question is answered with first.
    pub pinned: Vec<MemoryId>,
    /// What the tags of placeholders are made with, so that equal values keep equal tags. A secret.
    pub tag_key: String,
}

/// An embedding space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSpace {
    /// What rows call it.
    pub space_id: SpaceId,
    /// Who computes its vectors.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What tells two files of one name apart.
    pub revision: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
    /// What of a memory is embedded: `task` or `reflection`.
    pub key_text: String,
    /// Below this similarity two texts have nothing to do with each other.
    pub similarity_threshold: f32,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackTable {
    /// Its name.
    pub name: String,
    /// How many rows.
    pub rows: u64,
    /// Their digest.
    pub digest: String,
    /// The time in the id of its first row, where ids hold one and are in its order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<DateTime<Utc>>,
    /// Its parts, in order.
    pub parts: Vec<PackPart>,
}

/// One file of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackPart {
    /// Its name, from the folder of the pack.
    pub file: String,
    /// How many rows.
    pub rows: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
}

/// What the ledger adds up to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldNote {
    /// Of how many memories.
    pub memories: u64,
    /// The digest of where they stand.
    pub digest: String,
    /// Of how many the stored standing was another one, in the database that the pack comes from. Nought, or that
    /// database has a fault.
    pub drifted: u64,
}

/// A table that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedNote {
    /// Its name.
    pub table: String,
    /// Why.
    pub reason: String,
}

/// A key that is to be made anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNote {
    /// The part of it that may be shown.
    pub public_id: String,
    /// What it was for.
    pub label: String,
    /// What it was allowed.
    pub scopes: Vec<String>,
    /// How far it was trusted.
    pub trust: String,
}

/// A table's rows while parts of it are being written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableRows {
    /// How many.
    pub rows: u64,
    /// Their digest.
    pub digest: super::RowsDigest,
    /// The key of the first one.
    pub first: Option<Value>,
    /// Its parts.
    pub parts: Vec<PackPart>,
}

impl TableRows {
    /// What the manifest says about the table.
    pub fn close(self, name: &str) -> PackTable {
        let oldest = self.first.as_ref().and_then(time_of_key);
        PackTable {
            name: name.to_owned(),
            rows: self.rows,
            digest: self.digest.hex(),
            oldest,
            parts: self.parts,
        }
    }
}

/// The time in a key that is one UUIDv7.
fn time_of_key(key: &Value) -> Option<DateTime<Utc>> {
    let fields = key.as_object()?;
    let id: Uuid = fields.values().next().filter(|_| fields.len() == 1)?.as_str()?.parse().ok()?;
    let (seconds, nanoseconds) = id.get_timestamp().filter(|_| id.get_version_num() == 7)?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanoseconds)
}

impl Manifest {
    /// Reads a manifest and refuses one that this program cannot import.
    pub fn read(text: &[u8]) -> Result<Self, PackError> {
        let value: Value =
            serde_json::from_slice(text).map_err(|error| PackError::NotAPack(error.to_string()))?;
        if value["format"] != FORMAT {
            return Err(PackError::NotAPack(format!("its `format` is not {FORMAT}")));
        }
        match value["version"].as_u64().and_then(|version| u32::try_from(version).ok()) {
            Some(found) if found > VERSION => return Err(PackError::TooNew { found }),
            Some(1..=VERSION) => {}
            _ => return Err(PackError::NotAPack("it has no version".to_owned())),
        }
        let manifest: Self =
            serde_json::from_value(value).map_err(|error| PackError::NotAPack(error.to_string()))?;
        manifest.check()?;
        Ok(manifest)
    }

    /// What can be told from the manifest alone.
    fn check(&self) -> Result<(), PackError> {
        let contradiction = |what: String| Err(PackError::Contradiction(what));
        let mut seen = std::collections::BTreeSet::new();
        for table in &self.tables {
            if !MOVED_TABLES.contains(&table.name.as_str()) {
                return Err(PackError::UnknownTable(table.name.clone()));
            }
            if !seen.insert(&table.name) {
                return contradiction(format!("`{}` is there twice", table.name));
            }
            let counted: u64 = table.parts.iter().map(|part| part.rows).sum();
            if counted != table.rows {
                let rows = table.rows;
                return contradiction(format!(
                    "the parts of `{}` have {counted} rows, not {rows}",
                    table.name
                ));
            }
            // A file outside the pack must never be opened because a manifest says so.
            let outside = |part: &&PackPart| {
                part.file.starts_with('/') || part.file.split('/').any(|step| matches!(step, ".." | "." | ""))
            };
            if let Some(part) = table.parts.iter().find(outside) {
                return contradiction(format!("`{}` is not a file of the pack", part.file));
            }
        }
        let known = |space: &SpaceId| self.spaces.iter().any(|one| one.space_id == *space);
        let named = self.project.write_spaces.iter().chain(&self.project.read_space);
        match named.chain(self.project.space_thresholds.keys()).find(|space| !known(space)) {
            Some(space) => contradiction(format!("the project is in space {space}, which is not there")),
            None => Ok(()),
        }
    }

    /// How many rows it holds.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// How many bytes its parts have.
    pub fn bytes(&self) -> u64 {
        self.parts().map(|(_, part)| part.bytes).sum()
    }

    /// All parts in the order in which they are imported, with their tables.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &PackPart)> {
        self.tables.iter().flat_map(|table| table.parts.iter().map(|part| (table.name.as_str(), part)))
    }

    /// What stays behind, as a manifest says it.
    pub fn omissions() -> Vec<OmittedNote> {
        let note = |(table, reason): &(&str, &str)| OmittedNote {
            table: (*table).to_owned(),
            reason: (*reason).to_owned(),
        };
        LEFT_BEHIND.iter().map(note).collect()
    }
}

impl TryFrom<MovedProject> for PackProject {
    type Error = PackError;

    fn try_from(project: MovedProject) -> Result<Self, PackError> {
        let slug = project.slug.parse();
        let slug = slug.map_err(|_| PackError::Contradiction("the project's name is none".to_owned()))?;
        Ok(Self {
            slug,
            created_at: project.created_at,
            settings: project.settings,
            read_space: project.read_space,
            write_spaces: project.write_spaces,
            space_thresholds: project.thresholds,
            pinned: project.pinned,
            tag_key: project.tag_key,
        })
    }
}

impl From<&SpaceRow> for PackSpace {
    fn from(row: &SpaceRow) -> Self {
        Self {
            space_id: row.id,
            provider: row.name.provider.clone(),
            model: row.name.model.clone(),
            revision: row.name.revision.clone(),
            dimensions: row.name.dimensions,
            key_text: row.name.embeds.as_str().to_owned(),
            similarity_threshold: row.similarity_threshold,
        }
    }
}

impl PackSpace {
    /// By what it is found in any database.
    pub fn name(&self) -> Result<SpaceName, PackError> {
        let unknown = |_| PackError::Contradiction(format!("nothing is embedded as `{}`", self.key_text));
        Ok(SpaceName {
            provider: self.provider.clone(),
            model: self.model.clone(),
            revision: self.revision.clone(),
            dimensions: self.dimensions,
            embeds: self.key_text.parse().map_err(unknown)?,
        })
    }
}
