//! Deterministic ids for imported runs: the same line always gets the same id, which makes an import repeatable.
//!
//! Ids contain a time, and the server accepts only the last 30 days. An id is computed from the line and from the start
//! of a 14-day period: the current period, or the previous one if the import started then.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use reflect_types::TraceId;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// 14 days, in seconds.
const PERIOD: u64 = 14 * 24 * 60 * 60;
/// Less than the server's 30 days, to tolerate clock differences.
const OLDEST: Duration = Duration::from_secs(29 * 24 * 60 * 60);

/// Assigns ids to lines. Equal lines get different ids, by how many of them came before.
pub(super) struct Identities {
    begins: u64,
    seen: HashMap<[u8; 32], u64>,
}

impl Identities {
    /// Ids of the period that contains this time.
    pub(super) fn of(time: SystemTime) -> Self {
        let seconds = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { begins: seconds - seconds % PERIOD, seen: HashMap::new() }
    }

    /// Ids of the period before that.
    pub(super) fn before(time: SystemTime) -> Self {
        Self::of(time - Duration::from_secs(PERIOD))
    }

    /// The id of the next line.
    pub(super) fn next(&mut self, line: &[u8]) -> TraceId {
        let digest: [u8; 32] = Sha256::digest(line).into();
        let times = self.seen.entry(digest).or_default();
        let whole: [u8; 32] =
            Sha256::new().chain_update(digest).chain_update(times.to_le_bytes()).finalize().into();
        *times += 1;
        let mut random = [0; 10];
        random.copy_from_slice(&whole[..10]);
        TraceId::from_uuid(Builder::from_unix_timestamp_millis(self.begins * 1000, &random).into_uuid())
    }
}

/// The id in the line, if the server accepts it.
pub(super) fn own(id: Option<Uuid>, now: SystemTime) -> Option<TraceId> {
    let made = id?.get_timestamp()?.to_unix();
    let made = SystemTime::UNIX_EPOCH + Duration::new(made.0, made.1);
    let young = now.duration_since(made).is_ok_and(|age| age < OLDEST);
    id.filter(|_| young).and_then(|id| TraceId::from_client(id, now).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs((20_000 + days) * 24 * 60 * 60)
    }

    #[test]
    fn the_same_file_gets_the_same_ids_and_equal_lines_get_two() {
        let ids = |day| {
            let mut identities = Identities::of(at(day));
            [&b"a"[..], b"b", b"a"].map(|line| identities.next(line))
        };

        assert_eq!(ids(8), ids(9));
        let [first, second, again] = ids(8);
        assert!(first != second && first != again);
    }

    #[test]
    fn ids_are_accepted_by_the_server_and_survive_the_end_of_a_period() {
        let first = Identities::of(at(7)).next(b"a");
        // Day 20,006 is the first of a period.
        for day in 7..=34 {
            let now = at(day);
            let known = [Identities::of(now).next(b"a"), Identities::before(now).next(b"a")];
            assert!(known.iter().all(|id| TraceId::from_client(id.as_uuid(), now).is_ok()), "day {day}");
            assert_eq!(known.contains(&first), day < 34, "day {day}");
        }
    }

    #[test]
    fn a_line_keeps_its_own_id_while_the_server_accepts_it() {
        let id = Identities::of(at(0)).next(b"a").as_uuid();

        assert_eq!(own(Some(id), at(3)), Some(TraceId::from_uuid(id)));
        assert_eq!(own(Some(id), at(60)), None);
        assert_eq!(own(Some(Uuid::nil()), at(0)), None);
        assert_eq!(own(None, at(0)), None);
    }
}
