//! How old the data of a standby is at most.
//!
//! The process notes when it saw the primary at which position of its log. A standby that has replayed such a position has
//! everything that was committed before that time. This needs neither equal clocks nor writes, and it works on an idle
//! primary and for a standby that has lost its connection.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Notes for the longest age that counts.
const NOTES: u32 = 16;

/// Positions of the primary's log, in bytes, with the time at which they were seen.
#[derive(Debug)]
pub(crate) struct Positions {
    max_age: Duration,
    seen: VecDeque<(Instant, i64)>,
}

impl Positions {
    pub(crate) const fn new(max_age: Duration) -> Self {
        Self { max_age, seen: VecDeque::new() }
    }

    /// Notes a position that was read after `now`.
    pub(crate) fn note(&mut self, now: Instant, position: i64) {
        self.seen.retain(|(at, _)| now.saturating_duration_since(*at) <= self.max_age);
        let spacing = self.max_age / NOTES;
        let is_due = self.seen.back().is_none_or(|(at, _)| now.saturating_duration_since(*at) >= spacing);
        if is_due {
            self.seen.push_back((now, position));
        }
    }

    /// The maximum age of the data of a standby that has replayed up to `replayed`. `None` if it is older than any note.
    pub(crate) fn age(&self, now: Instant, replayed: i64) -> Option<Duration> {
        let newest = self.seen.iter().rev().find(|(_, position)| *position <= replayed);
        newest.map(|(at, _)| now.saturating_duration_since(*at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn data_is_as_old_as_the_newest_position_that_was_replayed() {
        let begin = Instant::now();
        let mut positions = Positions::new(16 * SECOND);
        for second in 0..5 {
            positions.note(begin + second * SECOND, i64::from(second) * 100);
        }
        let now = begin + 5 * SECOND;

        assert_eq!(positions.age(now, 400), Some(SECOND));
        assert_eq!(positions.age(now, 399), Some(2 * SECOND));
        assert_eq!(positions.age(now, 0), Some(5 * SECOND));
        assert_eq!(positions.age(now, -1), None);
    }

    #[test]
    fn an_idle_primary_does_not_make_a_standby_old() {
        let begin = Instant::now();
        let mut positions = Positions::new(5 * SECOND);
        positions.note(begin, 100);
        let later = begin + 3600 * SECOND;
        positions.note(later, 100);

        assert_eq!(positions.age(later, 100), Some(Duration::ZERO));
        assert_eq!(positions.age(later, 99), None);
    }

    #[test]
    fn old_and_dense_notes_are_dropped() {
        let begin = Instant::now();
        let mut positions = Positions::new(16 * SECOND);
        for tenth in 0..1000 {
            positions.note(begin + tenth * SECOND / 10, i64::from(tenth));
        }

        assert!(positions.seen.len() <= NOTES as usize + 1, "{}", positions.seen.len());
    }
}
