//! `reflect traces import`: runs from a file. Repeating an import stores nothing twice.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Context;
use clap::Args;
use reflect_api::BatchItem;
use reflect_sdk::{NewTrace, ReflectClient};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::body::decode_run;
use super::identity::{Identities, own};
use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, counted};

/// The limit of one call.
const BATCH_SIZE: usize = 100;
/// Well below the server's limit for a body.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Record runs from a file with one JSON object per line.
#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(flatten)]
    connection: Connection,
    /// A file with one JSON object per line, as in POST …/traces or as written by `traces export`.
    file: PathBuf,
    /// Check every line and send nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The names that the id can have.
#[derive(Deserialize)]
struct Ids {
    #[serde(default)]
    trace_id: Option<Uuid>,
    #[serde(default)]
    id: Option<Uuid>,
}

#[derive(Default)]
struct Outcome {
    stored: usize,
    refused: Vec<serde_json::Value>,
}

/// How many rejected lines are listed.
const MAX_LISTED: usize = 20;

pub(crate) async fn run(arguments: Import, output: &Output) -> anyhow::Result<()> {
    let path = &arguments.file;
    let open = || File::open(path).with_context(|| format!("cannot read {}", path.display()));
    let total = BufReader::new(open()?).lines().count();
    let client = arguments.connection.client()?;
    let now = SystemTime::now();
    let mut identities = match began_before(&client, path, now).await? {
        true => Identities::before(now),
        false => Identities::of(now),
    };
    let bar = output.progress("Importing", Some(total as u64));
    let mut outcome = Outcome::default();
    let mut waiting: Vec<(usize, NewTrace)> = Vec::new();
    let mut bytes = 0;
    for (index, line) in BufReader::new(open()?).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read line {} of {}", index + 1, path.display()))?;
        bar.inc(1);
        if line.trim().is_empty() {
            continue;
        }
        match read(&line, &mut identities, now) {
            Ok(trace) => waiting.push((index + 1, trace)),
            Err(why) => {
                outcome.refused.push(json!({ "line": index + 1, "code": "unreadable", "message": why }))
            }
        }
        bytes += line.len();
        if waiting.len() >= BATCH_SIZE || bytes >= BATCH_BYTES {
            send(&client, &mut waiting, &mut outcome, arguments.dry_run).await?;
            bytes = 0;
        }
    }
    send(&client, &mut waiting, &mut outcome, arguments.dry_run).await?;
    bar.finish_and_clear();
    report(&outcome, arguments.dry_run, output)
}

/// Whether the first run of the file was stored with an id of the previous 14-day period.
async fn began_before(client: &ReflectClient, path: &PathBuf, now: SystemTime) -> anyhow::Result<bool> {
    let mut lines = BufReader::new(File::open(path)?).lines().map_while(Result::ok);
    let first = lines.find(|line| !line.trim().is_empty() && has_no_id(line, now));
    let Some(first) = first else { return Ok(false) };
    let id = Identities::before(now).next(first.trim().as_bytes());
    match client.traces.get(id).await {
        Ok(_) => Ok(true),
        // A write-only key cannot check; assume the current period.
        Err(error) if matches!(error.status(), Some(403 | 404)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn has_no_id(line: &str, now: SystemTime) -> bool {
    serde_json::from_str::<Ids>(line).is_ok_and(|ids| own(ids.trace_id.or(ids.id), now).is_none())
}

fn read(line: &str, identities: &mut Identities, now: SystemTime) -> Result<NewTrace, String> {
    let said = serde_json::from_str::<Ids>(line).map_err(|error| error.to_string())?;
    let mut body = decode_run(line.as_bytes())?;
    let id = own(said.trace_id.or(said.id), now).unwrap_or_else(|| identities.next(line.trim().as_bytes()));
    body.trace_id = Some(id.as_uuid());
    Ok(NewTrace::from_body(body))
}

async fn send(
    client: &ReflectClient,
    waiting: &mut Vec<(usize, NewTrace)>,
    outcome: &mut Outcome,
    dry_run: bool,
) -> anyhow::Result<()> {
    let (lines, traces): (Vec<usize>, Vec<NewTrace>) = waiting.drain(..).unzip();
    if dry_run {
        outcome.stored += traces.len();
        return Ok(());
    }
    let items = client.traces.create_many(&traces).await?;
    for (line, item) in lines.into_iter().zip(items) {
        match item {
            BatchItem::Stored(_) => outcome.stored += 1,
            BatchItem::Refused { error } => {
                let refused = json!({ "line": line, "code": error.code, "message": error.message });
                outcome.refused.push(refused);
            }
        }
    }
    Ok(())
}

fn report(outcome: &Outcome, dry_run: bool, output: &Output) -> anyhow::Result<()> {
    let item = json!({ "stored": outcome.stored, "refused": outcome.refused, "dry_run": dry_run });
    let done = if dry_run { "Could be stored" } else { "Stored" };
    let stored = counted(outcome.stored, "run");
    let refused = outcome.refused.len();
    output.item("trace.import/1", &item, || format!("{done}: {stored}. Rejected: {refused}."))?;
    if outcome.refused.is_empty() {
        output.next("reflect traces list");
        return Ok(());
    }
    for refused in outcome.refused.iter().take(MAX_LISTED) {
        output.say(&format!("line {}: {}", refused["line"], refused["message"].as_str().unwrap_or_default()));
    }
    let message = format!("{} rejected", counted(outcome.refused.len(), "line"));
    Err(Failure::new(Kind::Api, "refused", message)
        .fix("correct these lines and import the file again")
        .into())
}
