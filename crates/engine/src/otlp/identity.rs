//! Ids of runs and of their parts, and the sample of runs that is kept. Pure rules.

use std::time::{Duration, SystemTime};

use reflect_store::OtlpId;
use reflect_trajectory::otel::OtelEvent;
use reflect_types::{ProjectId, TraceId};
use uuid::{Builder, Uuid};

/// One day less than the age at which an id of a client is refused: a run may wait for its last span.
const OLDEST: Duration = Duration::from_secs(29 * 24 * 60 * 60);
const NEWEST: Duration = Duration::from_secs(60);

/// The trace that a run becomes: its random bits follow from the project and the run. Its time is `start`, that of the first span
/// of the first request with spans of the run, or now if there is no partition for that.
pub(super) fn trace_id(project: ProjectId, run: OtlpId, start: u64, now: SystemTime) -> TraceId {
    let started = SystemTime::UNIX_EPOCH + Duration::from_nanos(start);
    let at = if started + OLDEST < now || started > now + NEWEST { now } else { started };
    let milliseconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let digest = digest(project, run);
    let mut random = [0; 10];
    random.copy_from_slice(&digest[..10]);
    let milliseconds = u64::try_from(milliseconds).unwrap_or_default();
    TraceId::from_uuid(Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid())
}

/// Whether a run is in the sample. The same for all of its spans, in every process.
pub(super) fn is_sampled(project: ProjectId, run: OtlpId, rate: f64) -> bool {
    let digest = digest(project, run);
    let mut last = [0; 4];
    last.copy_from_slice(&digest[28..]);
    f64::from(u32::from_be_bytes(last)) < rate * (f64::from(u32::MAX) + 1.0)
}

fn digest(project: ProjectId, run: OtlpId) -> [u8; 32] {
    let mut digest = blake3::Hasher::new();
    digest.update(&project.number().to_be_bytes());
    digest.update(run.as_bytes());
    digest.finalize().into()
}

/// The trace id of OpenTelemetry, as runs and signals have it.
pub(super) fn otel_trace_id(run: OtlpId) -> String {
    run.simple().to_string()
}

/// The id of a span as the id of a part. `None` if it is no span id.
pub(super) fn part_of_span(span_id: &str) -> Option<Uuid> {
    let is_hex = span_id.len() == 16 && span_id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = u64::from_str_radix(span_id, 16).ok().filter(|id| *id != 0 && is_hex)?;
    Some(Uuid::from_u64_pair(id, 0))
}

/// A log record has no id: the same record has the same digest.
pub(super) fn part_of_event(event: &OtelEvent) -> Uuid {
    let mut digest = blake3::Hasher::new();
    let attributes = serde_json::to_vec(&event.attributes).unwrap_or_default();
    let body = serde_json::to_vec(&event.body).unwrap_or_default();
    for part in [event.span_id.as_bytes(), event.name.as_bytes(), &event.at.to_be_bytes(), &attributes, &body]
    {
        digest.update(&(part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    let mut id = [0; 16];
    id.copy_from_slice(&digest.finalize().as_bytes()[..16]);
    // No span has such an id.
    id[15] |= 1;
    Uuid::from_bytes(id)
}
