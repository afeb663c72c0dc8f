//! A pack becomes a project: every part once, in one transaction with its mark; then all of it is compared.

use std::io::Read;
use std::time::SystemTime;

use anyhow::{Context, bail, ensure};
use reflect_engine::moving::{Manifest, Verification, numbers_in, too_old};
use reflect_store::{Actor, SpaceId, SpaceRow, Store, StoreError};
use reflect_types::ProjectSlug;

use super::folder::PackFolder;
use super::progress::Progress;
use super::verify::tally;

/// A part is cut at 4 MB, and one row has at most some dozens more.
const LARGEST_PART: u64 = 1 << 30;

/// What an import has made.
#[derive(Debug)]
pub(crate) struct Imported {
    pub(crate) manifest: Manifest,
    pub(crate) verification: Verification,
    /// How many parts an import that was cut short had brought here already.
    pub(crate) kept: usize,
    /// How many reviews and erasures that waited are at work again.
    pub(crate) queued: u64,
}

/// Makes a project of a pack, or goes on with that. The project can be used when both sides were found to be equal.
pub(crate) async fn import(
    store: &Store,
    folder: &PackFolder,
    slug: Option<ProjectSlug>,
    actor: &Actor,
) -> anyhow::Result<Imported> {
    let (manifest, pack) = folder.manifest()?;
    let slug = slug.unwrap_or_else(|| manifest.project.slug.clone());
    // Nothing is written because of a pack that is damaged.
    for (_, part) in manifest.parts() {
        folder.part(part)?;
    }
    let now = SystemTime::now().into();
    let kept_for = store.kept_for().await?;
    too_old(&manifest, &kept_for, now)?;
    let spaces = spaces(store, &manifest).await?;
    let begun = store.begin_import(&slug, &pack, &manifest.project_in(&spaces)).await;
    let mut mark = match begun {
        Err(StoreError::Conflict { what }) => bail!(
            "{what}: {slug}. `--as` takes another name; `--discard` removes an import that was not finished"
        ),
        mark => mark?,
    };
    if let Some(oldest) = manifest.oldest(&kept_for) {
        store.make_past_partitions(oldest, now).await?;
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
            .import_part(&mark, table, &lines, &from_pack)
            .await
            .with_context(|| format!("cannot import {}", part.file))?;
        mark.parts += 1;
        progress.add(part.rows);
    }
    drop(progress);
    let verification = tally(&project, &manifest, &to_pack).await?;
    let queued = match verification.is_equal() {
        true => store.finish_import(&mark, &slug, actor).await?,
        false => 0,
    };
    Ok(Imported { manifest, verification, kept, queued })
}

/// The spaces of the pack in this database, each with its number in the pack; made where they are not there.
async fn spaces(store: &Store, manifest: &Manifest) -> anyhow::Result<Vec<(SpaceId, SpaceRow)>> {
    let mut spaces = Vec::new();
    for space in &manifest.spaces {
        spaces.push((space.space_id, store.ensure_space(&space.name()?).await?));
    }
    Ok(spaces)
}

/// Removes a project that was being imported. Its rows go with the next rounds of maintenance.
pub(crate) async fn discard(store: &Store, slug: &ProjectSlug, actor: &Actor) -> anyhow::Result<()> {
    let mark = store.find_import(slug).await?;
    let mark = mark.with_context(|| format!("no import into a project {slug} is under way"))?;
    store.project(mark.project).delete_project(slug.as_str(), actor).await?;
    Ok(())
}

fn unpack(bytes: &[u8]) -> anyhow::Result<String> {
    let mut text = String::new();
    let decoder = zstd::Decoder::new(bytes)?;
    decoder.take(LARGEST_PART).read_to_string(&mut text)?;
    Ok(text)
}
