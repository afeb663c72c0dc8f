//! Import of a pack: space ids of the target database, and rows that are too old for it.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::{MovedProject, SpaceId, SpaceNumbers, SpaceRow};

use super::manifest::{Manifest, PackError, PackTable};

impl Manifest {
    /// The time of the oldest row in tables that are partitioned by time.
    pub fn oldest(&self, kept: &[(String, Option<Duration>)]) -> Option<DateTime<Utc>> {
        let split = |table: &&PackTable| kept.iter().any(|(name, _)| *name == table.name);
        self.tables.iter().filter(split).filter_map(|table| table.oldest).min()
    }

    /// The project in the target database, with its space ids. A threshold that differs from that of the space becomes
    /// the project's own.
    pub fn project_in(&self, spaces: &[(SpaceId, SpaceRow)]) -> MovedProject {
        let there = |space: &SpaceId| spaces.iter().find(|(pack, _)| pack == space).map(|(_, row)| row.id);
        let mut thresholds: BTreeMap<SpaceId, f32> = BTreeMap::new();
        for space in &self.spaces {
            let Some((_, row)) = spaces.iter().find(|(pack, _)| *pack == space.space_id) else { continue };
            let own = self.project.space_thresholds.get(&space.space_id).copied();
            let differs = (row.similarity_threshold != space.similarity_threshold)
                .then_some(space.similarity_threshold);
            if let Some(threshold) = own.or(differs) {
                thresholds.insert(row.id, threshold);
            }
        }
        MovedProject {
            slug: self.project.slug.to_string(),
            created_at: self.project.created_at,
            settings: self.project.settings.clone(),
            read_space: self.project.read_space.as_ref().and_then(there),
            write_spaces: self.project.write_spaces.iter().filter_map(there).collect(),
            thresholds,
            pinned: self.project.pinned.clone(),
            tag_key: self.project.tag_key.clone(),
        }
    }
}

/// The space ids of the pack by those of the database, and the reverse.
pub fn numbers_in(spaces: &[(SpaceId, SpaceRow)]) -> (SpaceNumbers, SpaceNumbers) {
    let to_pack = spaces.iter().map(|(pack, row)| (row.id, *pack)).collect();
    (to_pack, spaces.iter().map(|(pack, row)| (*pack, row.id)).collect())
}

/// Refuses rows that maintenance would remove soon, because the import could not be verified then.
pub fn too_old(
    manifest: &Manifest,
    kept: &[(String, Option<Duration>)],
    now: DateTime<Utc>,
) -> Result<(), PackError> {
    for table in &manifest.tables {
        let Some(oldest) = table.oldest else { continue };
        let plan = kept.iter().find(|(name, _)| *name == table.name);
        let Some((_, Some(kept))) = plan else { continue };
        if now.signed_duration_since(oldest).to_std().is_ok_and(|age| age > *kept) {
            let (table, oldest) = (table.name.clone(), oldest.format("%Y-%m-%d").to_string());
            return Err(PackError::Expired { table, oldest, days: kept.as_secs() / (24 * 60 * 60) });
        }
    }
    Ok(())
}
