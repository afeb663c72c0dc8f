//! `reflect spool`: runs that the Python SDK stored on this machine because they could not be sent.

mod destination;
mod folder;
mod frames;
#[cfg(test)]
mod fuzz;
mod redirect;
mod survey;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use reflect_api::{BatchItem, CreateTrace};
use reflect_sdk::{NewTrace, ReflectClient};
use reflect_types::CrashPoint;
use serde_json::json;

use self::destination::Destination;
use self::folder::Segment;
use self::frames::Record;
use self::survey::survey;
pub(crate) use self::survey::{SpooledRuns, summary};
use crate::connection::Connection;
use crate::environment;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, counted, size, span};
use crate::runtime::run_client;

/// Show, send, redirect and remove runs that the Python SDK stored on this machine because they could not be sent.
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
#[derive(Debug, Clone, Args)]
pub(crate) struct SpoolLocation {
    /// The folder of the spool. Default: `reflect/spool` in $XDG_STATE_HOME or in ~/.local/state.
    #[arg(long, env = "REFLECT_SPOOL_DIR", value_name = "FOLDER")]
    spool_dir: Option<String>,
}

/// The limit of one call.
const BATCH_SIZE: usize = 100;

pub(crate) fn run(spool: Spool, output: &Output) -> anyhow::Result<()> {
    match spool {
        Spool::Status(arguments) => status(&arguments, output),
        Spool::Replay(arguments) => run_client(replay(arguments, output)),
        Spool::Redirect(arguments) => redirect::redirect(&arguments, output),
        Spool::Purge(arguments) => purge(&arguments, output),
    }
}

impl SpoolLocation {
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
    let (mut sent, mut refused, mut in_use) = (0, Vec::new(), 0);
    let mut segments = folder::segments(&folder)?;
    let total: usize = segments.iter().map(|segment| segment.contents.waiting.len()).sum();
    let bar = output.progress("Sending", Some(total as u64));
    for segment in &mut segments {
        if segment.in_use || segment.contents.of_another_version {
            in_use += 1;
            continue;
        }
        let records = segment.contents.waiting.clone();
        for part in records.chunks(BATCH_SIZE) {
            CrashPoint::SpoolSend.before();
            let (arrived, why_not) = send(&client, part).await?;
            CrashPoint::SpoolSend.after();
            bar.inc(part.len() as u64);
            sent += arrived.len();
            refused.extend(why_not);
            // After each call, to never send a stored run twice.
            CrashPoint::SpoolAcknowledge.before();
            segment.acknowledge(&arrived)?;
            CrashPoint::SpoolAcknowledge.after();
        }
        if records.is_empty() {
            segment.remove()?;
        }
    }
    bar.finish_and_clear();
    let item = json!({ "sent": sent, "refused": refused, "files_in_use": in_use });
    output.item("spool.replay/1", &item, || {
        format!("Sent {}, {} rejected.", counted(sent, "run"), refused.len())
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

/// Returns the offsets of the stored runs, and the rejected runs.
async fn send(client: &ReflectClient, part: &[Record]) -> anyhow::Result<(Vec<u64>, Vec<serde_json::Value>)> {
    let read = part.iter().map(|record| serde_json::from_slice::<CreateTrace>(&record.body).ok());
    let bodies: Vec<Option<NewTrace>> = read.map(|body| body.map(NewTrace::from_body)).collect();
    let traces: Vec<NewTrace> = bodies.iter().flatten().cloned().collect();
    let mut items = client.traces.create_many(&traces).await?.into_iter();
    let (mut arrived, mut refused) = (Vec::new(), Vec::new());
    for (record, body) in part.iter().zip(&bodies) {
        let refusal = match body.as_ref().and_then(|_| items.next()) {
            Some(BatchItem::Stored(_)) => {
                arrived.push(record.offset);
                continue;
            }
            Some(BatchItem::Refused { error }) => (error.code, error.message),
            None => ("unreadable".to_owned(), "not a valid run".to_owned()),
        };
        refused.push(json!({ "trace_id": record.trace_id, "code": refusal.0, "message": refusal.1 }));
    }
    Ok((arrived, refused))
}

fn purge(arguments: &Status, output: &Output) -> anyhow::Result<()> {
    let folder = arguments.place.root()?.join(own_folder(&arguments.connection)?);
    let segments: Vec<Segment> =
        folder::segments(&folder)?.into_iter().filter(|segment| !segment.in_use).collect();
    let runs: usize = segments.iter().map(|segment| segment.contents.waiting.len()).sum();
    if segments.is_empty() {
        output.say("No runs are stored here.");
    } else {
        output.prompt.confirm(&format!(
            "Remove {} that the server never got? This cannot be undone.",
            counted(runs, "run")
        ))?;
        segments.iter().try_for_each(Segment::remove)?;
    }
    let item = json!({ "runs": runs, "files": segments.len() });
    output.item("spool.purge/1", &item, || format!("Removed {}.", counted(runs, "run")))
}
