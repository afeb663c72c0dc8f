//! `reflect spool`: runs that the Python SDK, or a hook of a coding agent, stored on this machine until they are sent.

mod destination;
mod folder;
mod frames;
#[cfg(test)]
mod fuzz;
mod redirect;
mod replay;
mod survey;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, Subcommand};
use reflect_sdk::ReflectClient;
use reflect_types::TraceId;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

pub(crate) use self::destination::Destination;
use self::replay::{SentRuns, send_segments};
use self::survey::survey;
pub(crate) use self::survey::{SpooledRuns, summary};
use crate::connection::Connection;
use crate::environment;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, counted, size, span};
use crate::runtime::run_client;

/// Show, send, redirect and remove runs that the Python SDK or a hook stored on this machine because they could not be sent.
#[derive(Debug, Subcommand)]
pub(crate) enum Spool {
    /// Show the stored runs.
    Status(Status),
    /// Send the stored runs of the project of this connection, and remove them from the disk.
    Replay(Replay),
    /// Move stored runs of a wrong address or project to the project of this connection.
    Redirect(redirect::Redirect),
    /// Remove the stored runs without sending them.
    Purge(Status),
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    place: SpoolLocation,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    place: SpoolLocation,
}

/// The location of the spool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct SpoolLocation {
    /// The folder of the spool. Default: `reflect/spool` in $XDG_STATE_HOME or in ~/.local/state.
    #[arg(long, env = "REFLECT_SPOOL_DIR", value_name = "FOLDER")]
    spool_dir: Option<String>,
}

pub(crate) fn run(spool: Spool, output: &Output) -> anyhow::Result<()> {
    match spool {
        Spool::Status(arguments) => status(&arguments, output),
        Spool::Replay(arguments) => run_client(replay(arguments, output)),
        Spool::Redirect(arguments) => redirect::redirect(&arguments, output),
        Spool::Purge(arguments) => purge(&arguments, output),
    }
}

impl SpoolLocation {
    /// The same location for a process in another folder.
    pub(crate) fn absolute(&self) -> Self {
        let absolute = |folder: &String| match std::path::absolute(folder) {
            Ok(path) => path.to_string_lossy().into_owned(),
            Err(_) => folder.clone(),
        };
        Self { spool_dir: self.spool_dir.as_ref().map(absolute) }
    }

    fn root(&self) -> anyhow::Result<PathBuf> {
        let given = self.spool_dir.as_ref().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let default = || {
            let mac = cfg!(target_os = "macos");
            let below = if mac { "Library/Application Support" } else { ".local/state" };
            environment::folder("XDG_STATE_HOME", below).map(|state| state.join("reflect/spool"))
        };
        let nowhere =
            || Failure::new(Kind::Configuration, "no_home", "there is no home folder for the spool");
        Ok(given.or_else(default).ok_or_else(|| nowhere().fix("set REFLECT_SPOOL_DIR to a folder"))?)
    }
}

/// The runs that are stored on this machine, by destination.
pub(crate) fn spooled_runs(
    connection: &Connection,
    place: &SpoolLocation,
) -> anyhow::Result<Vec<SpooledRuns>> {
    survey(connection, &place.root()?)
}

/// Sends the orphaned runs of this connection.
pub(crate) async fn send_orphaned_runs(
    connection: &Connection,
    place: &SpoolLocation,
    output: &Output,
) -> anyhow::Result<()> {
    replay(Replay { connection: connection.clone(), place: place.clone() }, output).await
}

/// The name of the folder of this connection's project.
fn own_folder(connection: &Connection) -> anyhow::Result<String> {
    Ok(Destination::of(connection)?.folder())
}

fn status(arguments: &Status, output: &Output) -> anyhow::Result<()> {
    let found = survey(&arguments.connection, &arguments.place.root()?)?;
    if found.is_empty() && !output.is_json() {
        output.say("No runs are stored on this machine: all were sent.");
        return Ok(());
    }
    let mut table =
        Table::new(&["PROJECT", "~ADDRESS", ">RUNS", "?>FILES", "?>SIZE", "?>OLDEST", "STATE", "?THIS"]);
    for spooled in &found {
        let (project, address) = match &spooled.destination {
            Some(destination) => (destination.project_id.clone(), destination.base_url.clone()),
            None => ("unknown".to_owned(), format!("folder {}", spooled.short_name())),
        };
        let age = spooled.oldest.map_or("-".to_owned(), span);
        let (runs, files) = (spooled.runs.to_string(), spooled.files.to_string());
        let this = if spooled.is_own { "yes" } else { "no" };
        table.row(&[&project, &address, &runs, &files, &size(spooled.bytes), &age, &spooled.state(), this]);
    }
    let items: Vec<serde_json::Value> = found.iter().map(SpooledRuns::json).collect();
    output.list("spool.status/1", &items, None, || table)?;
    match (found.iter().any(|one| one.is_own && one.runs > 0), found.iter().any(|one| one.orphaned > 0)) {
        (true, _) => output.next("reflect spool replay"),
        (false, true) => output.next("reflect spool redirect"),
        (false, false) => {}
    }
    Ok(())
}

async fn replay(arguments: Replay, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let folder = arguments.place.root()?.join(own_folder(&arguments.connection)?);
    let mut total = 0;
    for segment in folder::segments(&folder) {
        total += segment?.contents.waiting.len();
    }
    let bar = output.progress("Sending", Some(total as u64));
    let sent = send_segments(&client, folder::segments(&folder), |runs| bar.inc(runs as u64)).await?;
    bar.finish_and_clear();
    let SentRuns { stored, refused, in_use } = sent;
    let item = json!({ "sent": stored, "refused": refused, "files_in_use": in_use });
    output.item("spool.replay/1", &item, || {
        format!("Sent {}, {} rejected.", counted(stored, "run"), refused.len())
    })?;
    if in_use > 0 {
        output.say(&format!(
            "{} in use by a running process, which will send the runs.",
            counted(in_use, "file")
        ));
    }
    if let Some(first) = refused.first() {
        let why = first["message"].as_str().unwrap_or_default();
        let message = format!("the server rejected {}: {why}", counted(refused.len(), "run"));
        return Err(Failure::new(Kind::Api, "refused", message)
            .fix("run `reflect spool purge` to remove them")
            .into());
    }
    Ok(())
}

/// Runs of hooks are kept up to this size for one destination, in bytes.
const MOST_KEPT: u64 = 512 * 1024 * 1024;

/// Stores a run of a hook on this machine. It stays until [`send_spooled`] or another client has sent it.
pub(crate) fn keep_run(
    destination: &Destination,
    place: &SpoolLocation,
    trace_id: TraceId,
    body: &[u8],
    now: SystemTime,
) -> anyhow::Result<()> {
    let folder = place.root()?.join(destination.folder());
    folder::create_private(&folder)?;
    folder::clean(&folder, now);
    let waiting = folder::size_of_hooks(&folder);
    anyhow::ensure!(
        waiting < MOST_KEPT,
        "{} has {} already; run `reflect spool status`",
        folder.display(),
        size(waiting)
    );
    destination.write(&folder)?;
    let written = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let written = u64::try_from(written.as_millis()).unwrap_or(u64::MAX);
    let segment = frames::file_of(&trace_id.to_string(), body, written)?;
    let random = Uuid::now_v7().simple();
    folder::write_segment(&folder, &segment, &format!("{written:013x}-{random}"))
}

/// Sends the runs of this destination that no running process has, except those that the server has rejected. Returns how many
/// the server has stored.
pub(crate) async fn send_spooled(
    client: &ReflectClient,
    destination: &Destination,
    place: &SpoolLocation,
) -> anyhow::Result<usize> {
    let folder = place.root()?.join(destination.folder());
    Ok(send_segments(client, folder::not_refused(&folder), |_| {}).await?.stored)
}

fn purge(arguments: &Status, output: &Output) -> anyhow::Result<()> {
    let folder = arguments.place.root()?.join(own_folder(&arguments.connection)?);
    let (mut files, mut runs) = (BTreeSet::new(), 0);
    for segment in folder::segments(&folder) {
        let segment = segment?;
        if !segment.in_use {
            runs += segment.contents.waiting.len();
            files.insert(segment.path.clone());
        }
    }
    if files.is_empty() {
        output.say("No runs are stored here.");
    } else {
        output.prompt.confirm(&format!(
            "Remove {} that the server never got? This cannot be undone.",
            counted(runs, "run")
        ))?;
        // Not those that were written after the question.
        for segment in folder::segments(&folder) {
            let segment = segment?;
            if !segment.in_use && files.contains(&segment.path) {
                segment.remove()?;
            }
        }
    }
    let item = json!({ "runs": runs, "files": files.len() });
    output.item("spool.purge/1", &item, || format!("Removed {}.", counted(runs, "run")))
}
