//! `reflect export`, `reflect import` and `reflect verify`: a project as a pack, for a backup or a move.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use reflect_engine::moving::Verification;
use reflect_types::ProjectSlug;
use serde_json::json;

use crate::failure::{Failure, Kind};
use crate::moving::{self, Identities, PackFolder, Recipients, megabytes};
use crate::operator::operator;
use crate::output::Output;
use crate::server_database::ServerDatabase;

/// What follows from a pack without the key.
const NO_TAG_KEY: &str = "an imported project gets a new one, so a value that is redacted later has another placeholder than \
                          before, and an erasure by a subject that was redacted does not find imported traces";

/// Export a project to a folder. If it was interrupted, run it again to continue.
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    database: ServerDatabase,
    /// The project.
    #[arg(long)]
    project: ProjectSlug,
    /// The folder of the pack: a new or empty folder, or the folder of an interrupted export.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Encrypt the pack with age for this public key (`age1…`), or for the keys in this file. Can be repeated.
    #[arg(long, value_name = "KEY")]
    recipient: Vec<String>,
}

/// Import a project from a pack. If it was interrupted, run it again to continue. The project can be used after it
/// is verified.
#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(flatten)]
    database: ServerDatabase,
    /// The folder of the pack.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// The file with the secret key of an encrypted pack, as `age-keygen` writes it. Can be repeated.
    #[arg(long, value_name = "FILE")]
    identity: Vec<PathBuf>,
    /// The name of the new project. Default: its name in the pack.
    #[arg(long = "as", value_name = "SLUG")]
    slug: Option<ProjectSlug>,
    /// Remove the data of an unfinished import instead of continuing it.
    #[arg(long)]
    discard: bool,
}

/// Compare a project with a pack: row counts, content, and the sums of the ledger.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    database: ServerDatabase,
    /// The folder of the pack.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// The file with the secret key of an encrypted pack, as `age-keygen` writes it. Can be repeated.
    #[arg(long, value_name = "FILE")]
    identity: Vec<PathBuf>,
    /// The project. Default: the project named in the pack.
    #[arg(long)]
    project: Option<ProjectSlug>,
}

pub(crate) async fn export(arguments: Export, output: &Output) -> anyhow::Result<()> {
    let began = Instant::now();
    let recipients = Recipients::read(&arguments.recipient)?;
    let store = arguments.database.open().await?;
    let made = moving::export(&store, &arguments.project, &arguments.to, recipients, &operator()).await?;
    let (project, manifest) = (&arguments.project, &made.manifest);
    if manifest.fold.drifted > 0 {
        output.warn(&format!(
            "{} memories have a utility that differs from the sum of their ledger; the pack contains them unchanged",
            manifest.fold.drifted
        ));
    }
    if manifest.project.tag_key.is_none() {
        output
            .warn(&format!("the pack is not encrypted, so it lacks the key of redaction tags: {NO_TAG_KEY}"));
    }
    let (rows, parts, bytes) = (manifest.rows(), manifest.parts().count(), manifest.bytes());
    let (folder, seconds) = (arguments.to.display().to_string(), began.elapsed().as_secs_f64());
    let item = json!({ "project": project, "folder": folder, "rows": rows, "parts": parts, "parts_kept": made.kept,
                       "bytes": bytes, "seconds": seconds, "drifted": manifest.fold.drifted, "keys": manifest.keys });
    output.item("project.export/1", &item, || {
        let (size, keys) = (megabytes(bytes), moving::print_keys(manifest, project));
        format!(
            "{}Exported {project}: {rows} rows in {parts} parts, {size}, {seconds:.1} s, to {folder}.\n{keys}",
            resumed(made.kept, "an export", "reused")
        )
    })
}

pub(crate) async fn import(arguments: Import, output: &Output) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::open(&arguments.from, Identities::read(&arguments.identity)?)?;
    let store = arguments.database.open().await?;
    let named = match &arguments.slug {
        Some(slug) => slug.clone(),
        None => folder.manifest()?.0.project.slug,
    };
    if arguments.discard {
        moving::discard(&store, &named, &operator()).await?;
        let item = json!({ "project": named, "discarded": true });
        let text = || format!("Discarded the import into {named}. Maintenance removes its rows.");
        return output.item("project.discard/1", &item, text);
    }
    let made = moving::import(&store, &folder, arguments.slug, &operator()).await?;
    if made.manifest.project.tag_key.is_none() {
        output.warn(&format!("the pack has no key of redaction tags: {NO_TAG_KEY}"));
    }
    let (rows, bytes, seconds) = (made.manifest.rows(), made.manifest.bytes(), began.elapsed().as_secs_f64());
    let equal = made.verification.is_equal();
    let item = json!({ "project": named, "equal": equal, "rows": rows, "parts_kept": made.kept, "bytes": bytes,
                       "seconds": seconds, "queued": made.queued, "compared": made.verification.compared,
                       "keys": made.manifest.keys });
    output.item("project.import/1", &item, || {
        let compared = moving::print_verification(&made.verification);
        let compared = format!("{}{compared}", resumed(made.kept, "an import", "already imported"));
        if !equal {
            return compared;
        }
        let (size, keys) = (megabytes(bytes), moving::print_keys(&made.manifest, &named));
        format!(
            "{compared}\nImported {named}: {rows} rows, {size}, {seconds:.1} s; {} pending reviews and erasures \
             are queued again.\n{keys}",
            made.queued
        )
    })?;
    must_be_equal(&made.verification, "the import is not complete and the project cannot be used")
}

pub(crate) async fn verify(arguments: Verify, output: &Output) -> anyhow::Result<()> {
    let began = Instant::now();
    let folder = PackFolder::open(&arguments.from, Identities::read(&arguments.identity)?)?;
    let store = arguments.database.open().await?;
    let (manifest, verification) = moving::verify(&store, &folder, arguments.project.clone()).await?;
    let project = arguments.project.unwrap_or_else(|| manifest.project.slug.clone());
    let (rows, seconds, equal) = (manifest.rows(), began.elapsed().as_secs_f64(), verification.is_equal());
    let item = json!({ "project": project, "equal": equal, "rows": rows, "seconds": seconds,
                       "compared": verification.compared });
    output.item("project.verify/1", &item, || {
        let compared = moving::print_verification(&verification);
        match equal {
            true => {
                format!("{compared}\nEqual in row counts, content and ledger: {rows} rows, {seconds:.1} s.")
            }
            false => compared,
        }
    })?;
    must_be_equal(&verification, "the project differs from the pack")
}

/// Says that an interrupted run was continued.
fn resumed(parts: usize, what: &str, were: &str) -> String {
    match parts {
        0 => String::new(),
        _ => format!("Continued {what} that was interrupted: {parts} parts were {were}.\n"),
    }
}

fn must_be_equal(verification: &Verification, consequence: &str) -> anyhow::Result<()> {
    let differing: Vec<&str> = verification.problems().map(|one| one.what.as_str()).collect();
    if !differing.is_empty() {
        let message = format!("{consequence}: {} differ", differing.join(", "));
        return Err(Failure::new(Kind::Check, "differs", message).into());
    }
    Ok(())
}
