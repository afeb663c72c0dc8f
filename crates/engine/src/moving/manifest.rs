//! The manifest: the content of a pack and its checksums. It is written last, so a pack with a manifest is complete.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reflect_store::{LEFT_BEHIND, MOVED_TABLES, MovedProject, SpaceId, SpaceName, SpaceRow};
use reflect_types::{Defence, MemoryId, ProjectSlug};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::digest::RowsDigest;

/// The format name in every manifest.
pub const FORMAT: &str = "reflect-pack";
/// The version of the format that is written, and the highest that can be read.
pub const VERSION: u32 = 1;

/// Why a pack cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The file is not a manifest.
    #[error("the file is not the manifest of a pack: {0}")]
    NotAPack(String),
    /// A newer version of Reflect wrote the pack.
    #[error(
        "the pack has version {found} of the format; this version reads up to {VERSION}: use a newer version of Reflect"
    )]
    TooNew {
        /// The version of the pack.
        found: u32,
    },
    /// The pack contains a table that this version does not know.
    #[error(
        "the pack holds the table `{0}`, which this version does not know: use a newer version of Reflect"
    )]
    UnknownTable(String),
    /// The manifest is inconsistent.
    #[error("the manifest is inconsistent: {0}")]
    Contradiction(String),
    /// Maintenance would remove rows of the pack soon.
    #[error(
        "rows of `{table}` go back to {oldest}, and this installation keeps them for {days} days: raise `keep` of \
         `{table}` in the table partition_plan first, or leave the pack as it is"
    )]
    Expired {
        /// The table.
        table: String,
        /// The date of its oldest row.
        oldest: String,
        /// How many days rows are kept.
        days: u64,
    },
}

/// The content of a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// The version of the format.
    pub version: u32,
    /// The version of Reflect that wrote it.
    pub product: String,
    /// The time of the snapshot.
    pub made_at: DateTime<Utc>,
    /// The project.
    pub project: PackProject,
    /// The embedding spaces that rows refer to, with the ids that rows use.
    pub spaces: Vec<PackSpace>,
    /// The tables, in import order.
    pub tables: Vec<PackTable>,
    /// The utilities and credits that follow from the ledger.
    pub fold: FoldNote,
    /// What the pack omits, and why.
    pub omitted: Vec<OmittedNote>,
    /// The active keys, to be created again after the import. Contains no secret.
    pub keys: Vec<KeyNote>,
}

/// The project, without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackProject {
    /// Its name.
    pub slug: ProjectSlug,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Its settings.
    pub settings: Value,
    /// The space that queries search.
    pub read_space: Option<SpaceId>,
    /// The spaces in which new memories are indexed.
    pub write_spaces: Vec<SpaceId>,
    /// The project's similarity thresholds by space.
    pub space_thresholds: BTreeMap<SpaceId, f32>,
    /// The pinned memories.
    pub pinned: Vec<MemoryId>,
    /// The key for the tags of redacted values: equal values keep equal tags. A secret, so only encrypted packs contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_key: Option<String>,
}

/// An embedding space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSpace {
    /// The id that rows use.
    pub space_id: SpaceId,
    /// The provider of the embedder.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The revision of the model.
    pub revision: String,
    /// The number of dimensions.
    pub dimensions: usize,
    /// The embedded part of a memory: `task` or `reflection`.
    pub key_text: String,
    /// The similarity threshold.
    pub similarity_threshold: f32,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackTable {
    /// Its name.
    pub name: String,
    /// The number of rows.
    pub rows: u64,
    /// The digest of the rows.
    pub digest: String,
    /// The time in the id of its first row, if ids are ordered by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<DateTime<Utc>>,
    /// Its parts, in order.
    pub parts: Vec<PackPart>,
}

/// A file with rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackPart {
    /// The file name, relative to the folder of the pack.
    pub file: String,
    /// The number of rows.
    pub rows: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The SHA-256 of the file.
    pub sha256: String,
}

/// The result of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldNote {
    /// The number of memories.
    pub memories: u64,
    /// The digest of their utilities and credits.
    pub digest: String,
    /// How many memories of the source database had stored values that differ from their ledger. Not 0 means that the
    /// source database is faulty.
    pub drifted: u64,
}

/// A table that is not exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OmittedNote {
    /// Its name.
    pub table: String,
    /// The reason.
    pub reason: String,
}

/// A key to create again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNote {
    /// The public part.
    pub public_id: String,
    /// The label.
    pub label: String,
    /// The scopes.
    pub scopes: Vec<String>,
    /// The trust level.
    pub trust: String,
}

/// The rows of a table while its parts are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableRows {
    /// The number of rows.
    pub rows: u64,
    /// The digest of the rows.
    pub digest: RowsDigest,
    /// The key of the first row.
    pub first: Option<Value>,
    /// Its parts.
    pub parts: Vec<PackPart>,
}

impl TableRows {
    /// The entry of the table in the manifest.
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

/// The time in a key that is a single UUIDv7.
fn time_of_key(key: &Value) -> Option<DateTime<Utc>> {
    let fields = key.as_object()?;
    let id: Uuid = fields.values().next().filter(|_| fields.len() == 1)?.as_str()?.parse().ok()?;
    let (seconds, nanoseconds) = id.get_timestamp().filter(|_| id.get_version_num() == 7)?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, nanoseconds)
}

/// The sum, or the largest number: the manifest of a damaged pack may have any numbers.
fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// Whether a name is that of a file inside the folder of a pack. A manifest must not make an import open any other file.
pub fn is_inside_pack(file: &str) -> bool {
    let is_name = |step: &str| !matches!(step, ".." | "." | "") && !step.contains(['\\', '\0']);
    file.split('/').all(is_name) || !Defence::PackPath.is_on()
}

impl Manifest {
    /// Parses a manifest and refuses one that this version cannot import.
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

    /// The checks that need only the manifest.
    fn check(&self) -> Result<(), PackError> {
        let contradiction = |what: String| Err(PackError::Contradiction(what));
        let mut seen = std::collections::BTreeSet::new();
        for table in &self.tables {
            if !MOVED_TABLES.contains(&table.name.as_str()) {
                return Err(PackError::UnknownTable(table.name.clone()));
            }
            if !seen.insert(&table.name) {
                return contradiction(format!("`{}` occurs twice", table.name));
            }
            let counted = sum(table.parts.iter().map(|part| part.rows));
            if counted != table.rows {
                let rows = table.rows;
                return contradiction(format!(
                    "the parts of `{}` have {counted} rows, not {rows}",
                    table.name
                ));
            }
            if let Some(part) = table.parts.iter().find(|part| !is_inside_pack(&part.file)) {
                return contradiction(format!("`{}` is not a file of the pack", part.file));
            }
        }
        // An import makes partitions from there on. Ids that are times begin in 1970.
        if let Some(table) =
            self.tables.iter().find(|table| table.oldest.is_some_and(|at| at < DateTime::UNIX_EPOCH))
        {
            return contradiction(format!("rows of `{}` are older than 1970", table.name));
        }
        let own = self.project.space_thresholds.values();
        let mut thresholds = self.spaces.iter().map(|space| &space.similarity_threshold).chain(own);
        if let Some(wrong) = thresholds.find(|threshold| !(-1.0..=1.0).contains(*threshold)) {
            return contradiction(format!("{wrong} is not a similarity"));
        }
        let known = |space: &SpaceId| self.spaces.iter().any(|one| one.space_id == *space);
        let named = self.project.write_spaces.iter().chain(&self.project.read_space);
        match named.chain(self.project.space_thresholds.keys()).find(|space| !known(space)) {
            Some(space) => {
                contradiction(format!("the project is in space {space}, which the pack does not contain"))
            }
            None => Ok(()),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        sum(self.tables.iter().map(|table| table.rows))
    }

    /// The size of its parts in bytes.
    pub fn bytes(&self) -> u64 {
        sum(self.parts().map(|(_, part)| part.bytes))
    }

    /// All parts in import order, with their tables.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &PackPart)> {
        self.tables.iter().flat_map(|table| table.parts.iter().map(|part| (table.name.as_str(), part)))
    }

    /// The tables that are not exported.
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
        let slug = slug.map_err(|_| PackError::Contradiction("the project name is not valid".to_owned()))?;
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
    /// The name by which a database finds the space.
    pub fn name(&self) -> Result<SpaceName, PackError> {
        let unknown = |_| {
            PackError::Contradiction(format!(
                "`{}` is not a part of a memory that can be embedded",
                self.key_text
            ))
        };
        Ok(SpaceName {
            provider: self.provider.clone(),
            model: self.model.clone(),
            revision: self.revision.clone(),
            dimensions: self.dimensions,
            embeds: self.key_text.parse().map_err(unknown)?,
        })
    }
}
