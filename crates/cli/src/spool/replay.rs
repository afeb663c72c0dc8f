//! Sends stored runs.

use reflect_api::{BatchItem, CreateTrace};
use reflect_sdk::{NewTrace, ReflectClient};
use reflect_types::CrashPoint;
use serde_json::{Value, json};

use super::folder::Segment;
use super::frames::Record;

/// The limit of one call.
const BATCH_SIZE: usize = 100;
/// The code of the server's answer if another run has the same id, or if a run with this id was deleted.
const CONFLICT: &str = "conflict";

/// What became of stored runs.
#[derive(Debug, Default)]
pub(super) struct SentRuns {
    /// How many the server has stored.
    pub(super) stored: usize,
    /// Those that it rejected, with the reasons.
    pub(super) refused: Vec<Value>,
    /// How many files belong to a running process.
    pub(super) in_use: usize,
}

/// Sends the runs of files that no process uses, and removes them from the disk. `progress` gets the number of runs of each
/// call.
pub(super) async fn send_segments(
    client: &ReflectClient,
    segments: impl Iterator<Item = anyhow::Result<Segment>>,
    progress: impl Fn(usize),
) -> anyhow::Result<SentRuns> {
    let mut sent = SentRuns::default();
    for segment in segments {
        let mut segment = segment?;
        if segment.in_use || segment.contents.of_another_version {
            sent.in_use += 1;
            continue;
        }
        let records = segment.contents.waiting.clone();
        for part in records.chunks(BATCH_SIZE) {
            CrashPoint::SpoolSend.before();
            let (arrived, refused) = send_or_split(client, part, segment.is_of_hook()).await?;
            CrashPoint::SpoolSend.after();
            progress(part.len());
            sent.stored += arrived.len();
            // After each call, to never send a stored run twice.
            CrashPoint::SpoolAcknowledge.before();
            segment.acknowledge(&arrived)?;
            CrashPoint::SpoolAcknowledge.after();
            if !refused.is_empty() && segment.is_of_hook() {
                segment.set_aside()?;
            }
            sent.refused.extend(refused);
        }
        if records.is_empty() {
            segment.remove()?;
        }
    }
    Ok(sent)
}

/// Sends runs in one call, or each alone if the whole call is refused: one that is too large for the server, or for a proxy
/// before it, must not keep the others back.
async fn send_or_split(
    client: &ReflectClient,
    part: &[Record],
    is_of_hook: bool,
) -> anyhow::Result<(Vec<u64>, Vec<Value>)> {
    let error = match send(client, part, is_of_hook).await {
        Err(error) if is_refusal(&error) => error,
        sent => return sent,
    };
    let (mut arrived, mut refused) = (Vec::new(), Vec::new());
    if let [record] = part {
        refused.push(refusal(record, &error));
        return Ok((arrived, refused));
    }
    for record in part {
        match send(client, std::slice::from_ref(record), is_of_hook).await {
            Err(error) if is_refusal(&error) => refused.push(refusal(record, &error)),
            Err(error) => return Err(error),
            Ok((stored, rejected)) => {
                arrived.extend(stored);
                refused.extend(rejected);
            }
        }
    }
    Ok((arrived, refused))
}

/// Whether a call was refused because of what was sent.
fn is_refusal(error: &anyhow::Error) -> bool {
    let status = error.downcast_ref::<reflect_sdk::Error>().and_then(reflect_sdk::Error::status);
    matches!(status, Some(400 | 413 | 422))
}

fn refusal(record: &Record, error: &anyhow::Error) -> Value {
    let code = error.downcast_ref::<reflect_sdk::Error>().and_then(|error| error.code()).unwrap_or("refused");
    json!({ "trace_id": record.trace_id, "code": code, "message": error.to_string() })
}

/// Returns the offsets of the stored runs, and the rejected runs. `is_of_hook`: a run with the same id is the same run.
async fn send(
    client: &ReflectClient,
    part: &[Record],
    is_of_hook: bool,
) -> anyhow::Result<(Vec<u64>, Vec<Value>)> {
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
            Some(BatchItem::Refused { error }) if is_of_hook && error.code == CONFLICT => {
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
