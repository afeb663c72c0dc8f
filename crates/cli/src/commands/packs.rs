//! `reflect export`, `reflect import` and `reflect verify`: a project as a pack, for a backup, a move or an exit.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use reflect_engine::moving::Verification;
use reflect_types::ProjectSlug;

use crate::commands::{open_store, operator, print_text};
use crate::failure::{Failure, Kind};
use crate::moving::{self, PackFolder, megabytes};
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

pub(crate) async fn export(arguments: Export) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::create(&arguments.to)?;
    let store = open_store(&arguments.database).await?;
    let made = moving::export(&store, &arguments.project, &folder, &operator()).await?;
    let manifest = &made.manifest;
    if made.kept > 0 {
        print_text(&format!("Went on with an export that was cut short: {} parts were kept.", made.kept))?;
    }
    if manifest.fold.drifted > 0 {
        eprintln!(
            "reflect: {} memories do not stand where their ledger ends; the pack holds them as they are",
            manifest.fold.drifted
        );
    }
    print_text(&format!(
        "Exported {}: {} rows in {} parts, {}, {:.1} s, to {}.",
        arguments.project,
        manifest.rows(),
        manifest.parts().count(),
        megabytes(manifest.bytes()),
        began.elapsed().as_secs_f64(),
        folder.path()
    ))?;
    print_text(&moving::print_keys(manifest, &arguments.project))
}

pub(crate) async fn import(arguments: Import) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::open(&arguments.from)?;
    let store = open_store(&arguments.database).await?;
    let named = match &arguments.slug {
        Some(slug) => slug.clone(),
        None => folder.manifest()?.0.project.slug,
    };
    if arguments.discard {
        moving::discard(&store, &named, &operator()).await?;
        return print_text(&format!("Discarded the import into {named}; maintenance removes its rows."));
    }
    let made = moving::import(&store, &folder, arguments.slug, &operator()).await?;
    if made.kept > 0 {
        print_text(&format!("Went on with an import that was cut short: {} parts were here.", made.kept))?;
    }
    print_text(&moving::print_verification(&made.verification))?;
    must_be_equal(&made.verification, "the import is not finished and the project cannot be used")?;
    print_text(&format!(
        "Imported {named}: {} rows, {}, {:.1} s; {} reviews and erasures that waited are at work again.",
        made.manifest.rows(),
        megabytes(made.manifest.bytes()),
        began.elapsed().as_secs_f64(),
        made.queued
    ))?;
    print_text(&moving::print_keys(&made.manifest, &named))
}

pub(crate) async fn verify(arguments: Verify) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::open(&arguments.from)?;
    let store = open_store(&arguments.database).await?;
    let (manifest, verification) = moving::verify(&store, &folder, arguments.project).await?;
    print_text(&moving::print_verification(&verification))?;
    must_be_equal(&verification, "the project is not what the pack holds")?;
    print_text(&format!(
        "Equal by count, content and ledger: {} rows, {:.1} s.",
        manifest.rows(),
        began.elapsed().as_secs_f64()
    ))
}

fn must_be_equal(verification: &Verification, so: &str) -> anyhow::Result<()> {
    let differing: Vec<&str> = verification.problems().map(|one| one.what.as_str()).collect();
    if !differing.is_empty() {
        let message = format!("{so}: {} differ", differing.join(", "));
        return Err(Failure::new(Kind::Check, "differs", message).into());
    }
    Ok(())
}
