//! How long a receipt may be on its way, and how its scores are stored.
//!
//! A retrieval is answered before its receipt is stored. A process writes a receipt soon after its id was made, or never.
//! So every process can tell from an id alone whether a receipt that is not stored may still arrive.

use std::time::{Duration, SystemTime};

use reflect_types::RetrievalId;

/// A process does not start to write a receipt after this time. Long enough to bridge a restart of Postgres, and short
/// enough that a run which names a lost receipt can wait for it.
pub const WRITTEN_WITHIN: Duration = Duration::from_secs(5);
/// A write that takes longer is cancelled.
pub const WRITE_TIME: Duration = Duration::from_secs(2);
/// How far the clocks of two servers may differ.
const CLOCK_DIFFERENCE: Duration = Duration::from_secs(1);
/// After this time a receipt that is not stored is lost: no process writes it any more.
pub const SETTLED_AFTER: Duration =
    WRITTEN_WITHIN.saturating_add(WRITE_TIME).saturating_add(CLOCK_DIFFERENCE);

/// The largest stored score. Similarities and utilities are between -1 and 1.
const LARGEST_SCORE: f32 = 32_767.0;

/// How much longer a receipt that is not stored may still arrive, for a caller that waits no longer than `patience` after
/// the id was made. `None` if it does not arrive any more: it is lost, it was never written, or this id was not made by a
/// server.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use reflect_rules::receipts::{SETTLED_AFTER, may_arrive_for};
/// use reflect_types::RetrievalId;
///
/// let (id, now) = (RetrievalId::generate(), SystemTime::now());
/// assert!(may_arrive_for(id, now, SETTLED_AFTER).is_some());
/// assert_eq!(may_arrive_for(id, now + Duration::from_secs(60), SETTLED_AFTER), None);
/// assert_eq!(may_arrive_for(id.unrecorded(), now, SETTLED_AFTER), None);
/// ```
pub fn may_arrive_for(id: RetrievalId, now: SystemTime, patience: Duration) -> Option<Duration> {
    let made_at = id.made_at()?;
    // No server made it: its clock would be too far ahead.
    if made_at > now.checked_add(CLOCK_DIFFERENCE)? {
        return None;
    }
    let rest = made_at.checked_add(patience)?.duration_since(now).ok()?;
    (!rest.is_zero()).then_some(rest)
}

/// A score in 16 bits. It is exact to 0.00002.
pub fn stored_score(score: f32) -> i16 {
    // The conversion saturates, and gives 0 for what is not a number.
    (score * LARGEST_SCORE).round() as i16
}

/// The score that was stored.
pub fn score(stored: i16) -> f32 {
    f32::from(stored) / LARGEST_SCORE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_may_arrive_until_it_is_settled_and_not_later() {
        let id = RetrievalId::generate();
        let made_at = id.made_at().unwrap();
        let rest = |after: Duration| may_arrive_for(id, made_at + after, SETTLED_AFTER);

        assert_eq!(rest(Duration::ZERO), Some(SETTLED_AFTER));
        assert_eq!(rest(Duration::from_secs(1)), Some(SETTLED_AFTER - Duration::from_secs(1)));
        assert_eq!(rest(SETTLED_AFTER), None);
        assert_eq!(rest(Duration::from_secs(3600)), None);
        assert!(
            WRITTEN_WITHIN + WRITE_TIME < SETTLED_AFTER,
            "a late write ends before the receipt counts as lost"
        );
    }

    #[test]
    fn a_wait_ends_although_a_clock_is_ahead_or_the_id_is_invented() {
        let id = RetrievalId::generate();
        let made_at = id.made_at().unwrap();
        let ahead = |by: Duration| may_arrive_for(id, made_at - by, SETTLED_AFTER);

        assert_eq!(ahead(Duration::from_secs(1)), Some(SETTLED_AFTER + Duration::from_secs(1)));
        assert_eq!(ahead(Duration::from_secs(60)), None);
        assert_eq!(may_arrive_for(id.unrecorded(), made_at, SETTLED_AFTER), None);
    }

    #[test]
    fn scores_come_back_almost_as_they_were() {
        for sent in [-1.0, -0.3, 0.0, 0.000_02, 0.5, 0.65, 0.999_99, 1.0] {
            assert!((score(stored_score(sent)) - sent).abs() < 0.000_02, "{sent}");
        }
        assert_eq!((score(stored_score(1.000_001)), score(stored_score(f32::NAN))), (1.0, 0.0));
        assert!(score(stored_score(-7.0)) < -0.999);
    }
}
