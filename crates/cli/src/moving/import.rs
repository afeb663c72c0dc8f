//! Imports a pack: each part in one transaction with its progress mark, then a comparison of everything.

use std::io::Read;
use std::time::SystemTime;

use anyhow::{Context, bail, ensure};
use reflect_engine::moving::{Manifest, Verification, numbers_in, too_old};
use reflect_store::{AuditActor, SpaceId, SpaceRow, Store, StoreError};
use reflect_types::ProjectSlug;

use super::folder::PackFolder;
use super::progress::Progress;
use super::verify::tally;

/// Far above the size of any part: a part ends at 4 MB, plus one row.
const MAX_PART: u64 = 1 << 30;

/// The result of an import.
#[derive(Debug)]
pub(crate) struct Imported {
    pub(crate) manifest: Manifest,
    pub(crate) verification: Verification,
    /// How many parts an interrupted import had already imported.
    pub(crate) kept: usize,
    /// How many pending reviews and erasures are queued again.
    pub(crate) queued: u64,
}

/// Imports a project from a pack, or continues an interrupted import. The project can be used after both sides are equal.
pub(crate) async fn import(
    store: &Store,
    folder: &PackFolder,
    slug: Option<ProjectSlug>,
    actor: &AuditActor,
) -> anyhow::Result<Imported> {
    let (manifest, pack) = folder.manifest()?;
    let slug = slug.unwrap_or_else(|| manifest.project.slug.clone());
    // Before anything is written: a damaged pack must change nothing.
    for (_, part) in manifest.parts() {
        folder.part(part)?;
    }
    let now = SystemTime::now().into();
    let kept_for = store.imports().kept_for().await?;
    too_old(&manifest, &kept_for, now)?;
    let spaces = spaces(store, &manifest).await?;
    let begun = store.imports().begin(&slug, &pack, &manifest.project_in(&spaces)).await;
    let mut mark = match begun {
        Err(StoreError::Conflict { what }) => bail!(
            "{what}: {slug}; choose another name with `--as`, or remove an unfinished import with `--discard`"
        ),
        mark => mark?,
    };
    if let Some(oldest) = manifest.oldest(&kept_for) {
        store.imports().make_past_partitions(oldest, now).await?;
    }
    let project = store.project(mark.project);
    let (to_pack, from_pack) = numbers_in(&spaces);
    let kept = usize::try_from(mark.parts)?;
    let progress = Progress::of(manifest.rows());
    progress.add(manifest.parts().take(kept).map(|(_, part)| part.rows).sum());
    for (table, part) in manifest.parts().skip(kept) {
        progress.at(table);
        let text = unpack(&folder.part(part)?).with_context(|| format!("{} cannot be read", part.file))?;
        let lines: Vec<&str> = text.lines().collect();
        ensure!(lines.len() as u64 == part.rows, "the pack is damaged: {} lacks rows", part.file);
        project
            .moving()
            .import_part(&mark, table, &lines, &from_pack)
            .await
            .with_context(|| format!("cannot import {}", part.file))?;
        mark.parts += 1;
        progress.add(part.rows);
    }
    drop(progress);
    let verification = tally(&project, &manifest, &to_pack).await?;
    let queued = match verification.is_equal() {
        true => store.imports().finish(&mark, &slug, actor).await?,
        false => 0,
    };
    Ok(Imported { manifest, verification, kept, queued })
}

/// The spaces of the pack in this database, each with its number in the pack. Missing spaces are created.
async fn spaces(store: &Store, manifest: &Manifest) -> anyhow::Result<Vec<(SpaceId, SpaceRow)>> {
    let mut spaces = Vec::new();
    for space in &manifest.spaces {
        spaces.push((space.space_id, store.catalogue().ensure_space(&space.name()?).await?));
    }
    Ok(spaces)
}

/// Removes an unfinished import. Maintenance removes its rows.
pub(crate) async fn discard(store: &Store, slug: &ProjectSlug, actor: &AuditActor) -> anyhow::Result<()> {
    let mark = store.imports().find(slug).await?;
    let mark = mark.with_context(|| format!("there is no unfinished import into project {slug}"))?;
    store.project(mark.project).admin().delete(slug.as_str(), actor).await?;
    Ok(())
}

fn unpack(bytes: &[u8]) -> anyhow::Result<String> {
    let mut text = String::new();
    let decoder = zstd::Decoder::new(bytes)?;
    decoder.take(MAX_PART).read_to_string(&mut text)?;
    Ok(text)
}
