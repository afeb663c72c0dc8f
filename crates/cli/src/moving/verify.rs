//! Compares a project with a pack, row by row.

use anyhow::Context;
use reflect_engine::moving::{
    FoldTally, Manifest, RowsDigest, TableTally, Verification, compare, numbers_in,
};
use reflect_store::{MOVED_TABLES, ProjectCtx, SpaceNumbers, Store};
use reflect_types::ProjectSlug;

use super::folder::PackFolder;
use super::progress::Progress;

/// Compares a project with a pack, without changing either.
pub(crate) async fn verify(
    store: &Store,
    folder: &PackFolder,
    slug: Option<ProjectSlug>,
) -> anyhow::Result<(Manifest, Verification)> {
    let (manifest, _) = folder.manifest()?;
    for (_, part) in manifest.parts() {
        folder.part(part)?;
    }
    let slug = slug.unwrap_or_else(|| manifest.project.slug.clone());
    let project = match store.catalogue().find_project(&slug).await? {
        Some(project) => Some(project),
        None => store.imports().find(&slug).await?.map(|mark| mark.project),
    };
    let project = project.with_context(|| format!("there is no project {slug}"))?;
    let mut spaces = Vec::new();
    for space in &manifest.spaces {
        spaces.extend(store.catalogue().find_space(&space.name()?).await?.map(|row| (space.space_id, row)));
    }
    let (to_pack, _) = numbers_in(&spaces);
    let verification = tally(&store.project(project), &manifest, &to_pack).await?;
    Ok((manifest, verification))
}

/// Reads all rows of a project and computes the sums of its ledger.
pub(super) async fn tally(
    project: &ProjectCtx,
    manifest: &Manifest,
    to_pack: &SpaceNumbers,
) -> anyhow::Result<Verification> {
    let progress = Progress::of(manifest.rows());
    let mut snapshot = project.moving().snapshot().await?;
    let mut tables = Vec::new();
    for table in MOVED_TABLES {
        progress.at(&format!("verifying {table}"));
        let (mut rows, mut digest, mut after) = (0, RowsDigest::default(), None);
        loop {
            let page = snapshot.rows(table, after.as_ref(), to_pack).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.at.clone());
            rows += page.len() as u64;
            page.iter().for_each(|row| digest.add(&row.line));
            progress.add(page.len() as u64);
        }
        tables.push(TableTally { name: (*table).to_owned(), rows, digest });
    }
    progress.at("folding the ledger");
    let (mut fold, mut after) = (FoldTally::default(), None);
    loop {
        let memories = snapshot.folded(after).await?;
        let Some(last) = memories.last() else { break };
        after = Some(last.memory_id);
        memories.iter().for_each(|memory| fold.add(memory));
    }
    Ok(compare(manifest, &tables, &fold))
}

/// The result per table. Tables without rows on both sides are omitted.
pub(crate) fn print_verification(verification: &Verification) -> String {
    let mut lines = vec![format!("{:<22}{:>12}  {}", "TABLE", "ROWS", "RESULT")];
    for one in &verification.compared {
        let result =
            one.problem.as_deref().map_or("equal".to_owned(), |problem| format!("DIFFERS: {problem}"));
        if one.rows > 0 || one.problem.is_some() {
            lines.push(format!("{:<22}{:>12}  {result}", one.what, one.rows));
        }
    }
    lines.join("\n")
}

/// What the operator must do by hand, because keys and members are not part of a pack.
pub(crate) fn print_keys(manifest: &Manifest, slug: &ProjectSlug) -> String {
    if manifest.keys.is_empty() {
        return "A pack contains no keys and members. The project had no keys of its own.".to_owned();
    }
    let mut lines = vec!["A pack contains no keys and members. Create new keys in place of:".to_owned()];
    for key in &manifest.keys {
        let scopes: Vec<String> = key.scopes.iter().map(|scope| format!("--scope {scope}")).collect();
        lines.push(format!(
            "  {}  reflect keys create --project {slug} --label {:?} --trust {} {}",
            key.public_id,
            key.label,
            key.trust,
            scopes.join(" ")
        ));
    }
    lines.join("\n")
}
