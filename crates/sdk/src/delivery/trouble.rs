//! How the server is doing, and when it may be tried again.

use std::time::{Duration, Instant};

use crate::wire::{LONGEST_RETRY_AFTER, backoff};

/// Whoever is refused now will be refused until somebody mends it.
const REFUSED_PAUSE: Duration = Duration::from_secs(30);

/// What the last attempt showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Health {
    #[default]
    Good,
    /// It answers, and asks to come back later.
    Busy,
    /// It does not answer.
    Down,
    /// It answers and lets nobody in, which somebody has to mend.
    Refusing,
}

/// Counts failures in a row and says how long to wait after each.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    pub(super) health: Health,
    pub(super) not_before: Option<Instant>,
    failures: u32,
}

impl Trouble {
    /// An attempt succeeded.
    pub(super) fn over(&mut self) {
        *self = Self::default();
    }

    /// An attempt failed; the server may have said when to come back.
    pub(super) fn failed(&mut self, health: Health, now: Instant, asked: Option<Duration>, lot: f64) {
        self.health = health;
        let pause = if health == Health::Refusing {
            REFUSED_PAUSE
        } else {
            let pause = backoff(self.failures, lot);
            self.failures = self.failures.saturating_add(1);
            pause.max(asked.unwrap_or_default().min(LONGEST_RETRY_AFTER))
        };
        self.not_before = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_an_attempt_succeeds() {
        let (mut trouble, now) = (Trouble::default(), Instant::now());
        let mut pause = |health, asked| {
            trouble.failed(health, now, asked, 1.0);
            trouble.not_before.unwrap() - now
        };

        assert_eq!(pause(Health::Down, None), Duration::from_millis(500));
        assert_eq!(pause(Health::Busy, None), Duration::from_secs(1));
        assert_eq!(pause(Health::Busy, Some(Duration::from_secs(20))), Duration::from_secs(20));
        assert_eq!(pause(Health::Busy, Some(Duration::from_secs(900))), Duration::from_secs(60));
        assert_eq!(pause(Health::Refusing, None), REFUSED_PAUSE);
        trouble.over();
        trouble.failed(Health::Down, now, None, 1.0);
        assert_eq!(trouble.not_before.unwrap() - now, Duration::from_millis(500));
    }
}
