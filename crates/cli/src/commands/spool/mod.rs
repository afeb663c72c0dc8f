//! `reflect spool`: runs that the Python SDK wrote down on this machine and that have not arrived yet.

mod folder;
mod frames;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use reflect_api::{BatchItem, CreateTrace};
use reflect_sdk::{NewTrace, ReflectClient};
use serde_json::json;

use self::folder::Segment;
use self::frames::Record;
use crate::commands::as_client;
use crate::commands::traces::counted;
use crate::connection::Connection;
use crate::environment;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, size, span};

/// See, send and remove runs that the Python SDK keeps on this machine until they arrive.
#[derive(Debug, Subcommand)]
pub(crate) enum Spool {
    /// Show what waits.
    Status(Status),
    /// Send what waits for the project of this connection, and remove it from disk.
    Replay(Replay),
    /// Remove what waits without sending it.
    Purge(Status),
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    place: Place,
}

/// Where the spool is.
#[derive(Debug, Clone, Args)]
pub(crate) struct Place {
    /// The spool's folder. Without it, reflect/spool below $XDG_STATE_HOME or ~/.local/state.
    #[arg(long, env = "REFLECT_SPOOL_DIR", value_name = "FOLDER")]
    spool_dir: Option<String>,
}

/// As many as one call takes.
const AT_ONCE: usize = 100;

pub(crate) fn run(spool: Spool, output: &Output) -> anyhow::Result<()> {
    match spool {
        Spool::Status(arguments) => status(&arguments, output),
        Spool::Replay(arguments) => as_client(replay(arguments, output)),
        Spool::Purge(arguments) => purge(&arguments, output),
    }
}

impl Place {
    fn root(&self) -> anyhow::Result<PathBuf> {
        let said = self.spool_dir.as_ref().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let usual = || {
            let mac = cfg!(target_os = "macos");
            let below = if mac { "Library/Application Support" } else { ".local/state" };
            environment::folder("XDG_STATE_HOME", below).map(|state| state.join("reflect/spool"))
        };
        let nowhere = || Failure::new(Kind::Configuration, "no_home", "there is no folder for a spool");
        Ok(said.or_else(usual).ok_or_else(|| nowhere().fix("set REFLECT_SPOOL_DIR"))?)
    }
}

/// How many runs wait on this machine for the project of a connection, and are held by no process that would send them.
pub(crate) fn left_behind(connection: &Connection, place: &Place) -> anyhow::Result<usize> {
    let segments = folder::segments(&place.root()?.join(own_folder(connection)?))?;
    let free = segments.iter().filter(|segment| !segment.in_use && !segment.contents.of_another_version);
    Ok(free.map(|segment| segment.contents.waiting.len()).sum())
}

/// Sends them.
pub(crate) async fn send_left_behind(
    connection: &Connection,
    place: &Place,
    output: &Output,
) -> anyhow::Result<()> {
    replay(Replay { connection: connection.clone(), place: place.clone() }, output).await
}

/// The name of the folder of this connection's project.
fn own_folder(connection: &Connection) -> anyhow::Result<String> {
    let found = connection.find()?;
    Ok(folder::folder_name(found.base_url.trim_end_matches('/'), &found.project))
}

fn status(arguments: &Status, output: &Output) -> anyhow::Result<()> {
    let root = arguments.place.root()?;
    let own = own_folder(&arguments.connection)?;
    let mut table = Table::new(&["FOLDER", "PROJECT", ">FILES", ">RUNS", ">SIZE", ">OLDEST", "STATE"]);
    let mut items = Vec::new();
    for folder in folder::destinations(&root) {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let segments = folder::segments(&folder)?;
        let runs: usize = segments.iter().map(|segment| segment.contents.waiting.len()).sum();
        let bytes: u64 = segments.iter().map(|segment| segment.bytes).sum();
        let oldest = segments.iter().filter_map(Segment::oldest).max();
        let damaged: usize = segments.iter().map(|segment| segment.contents.damaged).sum();
        let in_use = segments.iter().filter(|segment| segment.in_use).count();
        let state = match (damaged, in_use) {
            (0, 0) => "left behind".to_owned(),
            (0, in_use) => format!("{in_use} in use"),
            (damaged, _) => format!("{damaged} damaged"),
        };
        let whose = if name == own { "this one" } else { "another" };
        let age = oldest.map_or("-".to_owned(), span);
        let (files, count) = (segments.len().to_string(), runs.to_string());
        table.row(&[&name, whose, &files, &count, &size(bytes), &age, &state]);
        items.push(json!({
            "folder": folder,
            "this_project": name == own,
            "files": segments.len(),
            "runs": runs,
            "bytes": bytes,
            "oldest_seconds": oldest.map(|oldest| oldest.as_secs()),
            "in_use": in_use,
            "damaged": damaged,
        }));
    }
    let waits = items.iter().any(|item| item["this_project"] == true && item["runs"] != 0);
    if items.is_empty() && !output.is_json() {
        output.say("Nothing waits: every run of this machine has arrived.");
        return Ok(());
    }
    output.list("spool.status/1", &items, None, || table)?;
    if waits {
        output.next("reflect spool replay");
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
        for part in records.chunks(AT_ONCE) {
            let (arrived, why_not) = send(&client, part).await?;
            bar.inc(part.len() as u64);
            sent += arrived.len();
            refused.extend(why_not);
            // Noted after each call: a run that arrived is not sent again, whatever happens next.
            segment.settle(&arrived)?;
        }
        if records.is_empty() {
            segment.remove()?;
        }
    }
    bar.finish_and_clear();
    let item = json!({ "sent": sent, "refused": refused, "files_in_use": in_use });
    output.item("spool.replay/1", &item, || {
        format!("Sent {}, {} refused.", counted(sent, "run"), refused.len())
    })?;
    if in_use > 0 {
        output.say(&format!("{} are in use by a process, which sends them itself.", counted(in_use, "file")));
    }
    if let Some(first) = refused.first() {
        let why = first["message"].as_str().unwrap_or_default();
        let message = format!("{} were refused: {why}", counted(refused.len(), "run"));
        return Err(Failure::new(Kind::Api, "refused", message)
            .fix("`reflect spool purge` removes them")
            .into());
    }
    Ok(())
}

/// What arrived, and why the rest did not.
async fn send(client: &ReflectClient, part: &[Record]) -> anyhow::Result<(Vec<u64>, Vec<serde_json::Value>)> {
    let read = part.iter().map(|record| serde_json::from_slice::<CreateTrace>(&record.body).ok());
    let bodies: Vec<Option<NewTrace>> = read.map(|body| body.map(NewTrace::from_body)).collect();
    let traces: Vec<NewTrace> = bodies.iter().flatten().cloned().collect();
    let mut items = client.create_traces(&traces).await?.into_iter();
    let (mut arrived, mut refused) = (Vec::new(), Vec::new());
    for (record, body) in part.iter().zip(&bodies) {
        let refusal = match body.as_ref().and_then(|_| items.next()) {
            Some(BatchItem::Stored(_)) => {
                arrived.push(record.offset);
                continue;
            }
            Some(BatchItem::Refused { error }) => (error.code, error.message),
            None => ("unreadable".to_owned(), "it is no run".to_owned()),
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
        output.say("Nothing waits here.");
    } else {
        output.confirm(&format!("Remove {} that never arrived, for good?", counted(runs, "run")))?;
        segments.iter().try_for_each(Segment::remove)?;
    }
    let item = json!({ "runs": runs, "files": segments.len() });
    output.item("spool.purge/1", &item, || format!("Removed {}.", counted(runs, "run")))
}
