//! The id of the trace of a run. It is computed from the session and the prompt, so a run that is recorded twice is stored
//! once.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reflect_types::TraceId;
use sha2::{Digest, Sha256};
use uuid::Builder;

use super::CodingAgent;

/// The server takes ids of the last 30 days. This is less, to tolerate clock differences and some time in the spool.
const OLDEST: Duration = Duration::from_secs(22 * 24 * 60 * 60);
/// The server takes ids up to 5 minutes ahead of its clock.
const NEWEST: Duration = Duration::from_secs(2 * 60);

/// The id of a run. Its time is the start of the run, or the time of the event that ended it if the server would refuse that:
/// both are the same if the run is recorded again after a process was killed.
pub(super) fn trace_id(
    agent: CodingAgent,
    session: &str,
    turn: &str,
    started_at: Option<DateTime<Utc>>,
    stopped_at: SystemTime,
    now: SystemTime,
) -> TraceId {
    let is_accepted = |time: &SystemTime| match now.duration_since(*time) {
        Ok(age) => age < OLDEST,
        // The clock was set back.
        Err(ahead) => ahead.duration() < NEWEST,
    };
    let times = [started_at.map(SystemTime::from), Some(stopped_at)];
    let time = times.into_iter().flatten().find(is_accepted).unwrap_or(now);
    let millis = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let digest = Sha256::digest(format!("{}\0{session}\0{turn}", agent.name()));
    let mut random = [0; 10];
    random.copy_from_slice(&digest[..10]);
    let millis = u64::try_from(millis).unwrap_or_default();
    TraceId::from_uuid(Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_id_which_the_server_accepts() {
        let now = SystemTime::now();
        let started = |days: u64| Some(DateTime::<Utc>::from(now - Duration::from_secs(days * 24 * 60 * 60)));
        let id = |session, turn, days, later| {
            trace_id(CodingAgent::Codex, session, turn, started(days), now, now + Duration::from_secs(later))
        };

        assert_eq!(id("s", "t", 1, 0), id("s", "t", 1, 60));
        assert_ne!(id("s", "t", 1, 0), id("s", "u", 1, 0));
        assert_ne!(id("s", "t", 1, 0), id("r", "t", 1, 0));
        for days in [0, 1, 21, 40] {
            assert!(TraceId::from_client(id("s", "t", days, 0).as_uuid(), now).is_ok(), "{days}");
            assert_eq!(id("s", "t", days, 0), id("s", "t", days, 3600), "{days}");
        }
        let hour = Duration::from_secs(60 * 60);
        for started in [None, Some(DateTime::<Utc>::from(now + hour))] {
            let id = |later| trace_id(CodingAgent::Codex, "s", "t", started, now - hour, now + later);
            assert!(TraceId::from_client(id(Duration::ZERO).as_uuid(), now).is_ok());
            assert_eq!(id(Duration::ZERO), id(Duration::from_secs(60)));
        }
    }
}
