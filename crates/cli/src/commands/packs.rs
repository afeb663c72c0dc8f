//! `reflect export`, `reflect import` and `reflect verify`: a project as a pack, for a backup, a move or an exit.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use reflect_engine::moving::Verification;
use reflect_types::ProjectSlug;
use serde_json::json;

use crate::commands::{open_store, operator};
use crate::failure::{Failure, Kind};
use crate::moving::{self, PackFolder, megabytes};
use crate::output::Output;
use crate::servers_database::ServersDatabase;

/// Write a project, as it is now, into a folder. Cut short and run again, it goes on.
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    database: ServersDatabase,
    /// The project.
    #[arg(long)]
    project: ProjectSlug,
    /// The folder of the pack: a new or empty one, or that of an export that was cut short.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
}

/// Make a project of a pack. Cut short and run again, it goes on; the project can be used when it was verified.
#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(flatten)]
    database: ServersDatabase,
    /// The folder of the pack.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// What the project is called here; as it was called, unless given.
    #[arg(long = "as", value_name = "SLUG")]
    slug: Option<ProjectSlug>,
    /// Remove what an import that was not finished has brought here, instead of going on.
    #[arg(long)]
    discard: bool,
}

/// Compare a project with a pack: by count, by content, and by what its ledger adds up to.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    database: ServersDatabase,
    /// The folder of the pack.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// The project; the one that the pack names, unless given.
    #[arg(long)]
    project: Option<ProjectSlug>,
}

pub(crate) async fn export(arguments: Export, output: &Output) -> anyhow::Result<()> {
    let began = Instant::now();
    let store = open_store(&arguments.database).await?;
    let made = moving::export(&store, &arguments.project, &arguments.to, &operator()).await?;
    let (project, manifest) = (&arguments.project, &made.manifest);
    if manifest.fold.drifted > 0 {
        output.warn(&format!(
            "{} memories do not stand where their ledger ends; the pack holds them as they are",
            manifest.fold.drifted
        ));
    }
    let (rows, parts, bytes) = (manifest.rows(), manifest.parts().count(), manifest.bytes());
    let (folder, seconds) = (arguments.to.display().to_string(), began.elapsed().as_secs_f64());
    let item = json!({ "project": project, "folder": folder, "rows": rows, "parts": parts, "parts_kept": made.kept,
                       "bytes": bytes, "seconds": seconds, "drifted": manifest.fold.drifted, "keys": manifest.keys });
    output.item("project.export/1", &item, || {
        let (size, keys) = (megabytes(bytes), moving::print_keys(manifest, project));
        format!(
            "{}Exported {project}: {rows} rows in {parts} parts, {size}, {seconds:.1} s, to {folder}.\n{keys}",
            went_on(made.kept, "an export", "kept")
        )
    })
}

pub(crate) async fn import(arguments: Import, output: &Output) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::open(&arguments.from)?;
    let store = open_store(&arguments.database).await?;
    let named = match &arguments.slug {
        Some(slug) => slug.clone(),
        None => folder.manifest()?.0.project.slug,
    };
    if arguments.discard {
        moving::discard(&store, &named, &operator()).await?;
        let item = json!({ "project": named, "discarded": true });
        let text = || format!("Discarded the import into {named}; maintenance removes its rows.");
        return output.item("project.discard/1", &item, text);
    }
    let made = moving::import(&store, &folder, arguments.slug, &operator()).await?;
    let (rows, bytes, seconds) = (made.manifest.rows(), made.manifest.bytes(), began.elapsed().as_secs_f64());
    let equal = made.verification.is_equal();
    let item = json!({ "project": named, "equal": equal, "rows": rows, "parts_kept": made.kept, "bytes": bytes,
                       "seconds": seconds, "queued": made.queued, "compared": made.verification.compared,
                       "keys": made.manifest.keys });
    output.item("project.import/1", &item, || {
        let compared = moving::print_verification(&made.verification);
        let compared = format!("{}{compared}", went_on(made.kept, "an import", "here"));
        if !equal {
            return compared;
        }
        let (size, keys) = (megabytes(bytes), moving::print_keys(&made.manifest, &named));
        format!(
            "{compared}\nImported {named}: {rows} rows, {size}, {seconds:.1} s; {} reviews and erasures that waited are \
             at work again.\n{keys}",
            made.queued
        )
    })?;
    must_be_equal(&made.verification, "the import is not finished and the project cannot be used")
}

pub(crate) async fn verify(arguments: Verify, output: &Output) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::open(&arguments.from)?;
    let store = open_store(&arguments.database).await?;
    let (manifest, verification) = moving::verify(&store, &folder, arguments.project.clone()).await?;
    let project = arguments.project.unwrap_or_else(|| manifest.project.slug.clone());
    let (rows, seconds, equal) = (manifest.rows(), began.elapsed().as_secs_f64(), verification.is_equal());
    let item = json!({ "project": project, "equal": equal, "rows": rows, "seconds": seconds,
                       "compared": verification.compared });
    output.item("project.verify/1", &item, || {
        let compared = moving::print_verification(&verification);
        match equal {
            true => format!("{compared}\nEqual by count, content and ledger: {rows} rows, {seconds:.1} s."),
            false => compared,
        }
    })?;
    must_be_equal(&verification, "the project is not what the pack holds")
}

/// That an earlier start was not for nothing.
fn went_on(parts: usize, with: &str, were: &str) -> String {
    match parts {
        0 => String::new(),
        _ => format!("Went on with {with} that was cut short: {parts} parts were {were}.\n"),
    }
}

fn must_be_equal(verification: &Verification, so: &str) -> anyhow::Result<()> {
    let differing: Vec<&str> = verification.problems().map(|one| one.what.as_str()).collect();
    if !differing.is_empty() {
        let message = format!("{so}: {} differ", differing.join(", "));
        return Err(Failure::new(Kind::Check, "differs", message).into());
    }
    Ok(())
}
