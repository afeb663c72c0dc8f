//! Leaving a provider alone that does not answer.
//!
//! After a few failures in a row nothing is sent for a while; then one call goes ahead, and what
//! becomes of it decides for all. So a provider that is down costs one call per pause instead of one
//! per job, and the backlog waits in the queue.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Fewer may be bad luck.
const FAILURES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// A trial call whose outcome nobody reports, because its process was stopped or its job given up.
const TRIAL: Duration = Duration::from_secs(30);

/// Whether a provider is being asked.
#[derive(Debug)]
pub(crate) struct Breaker {
    name: &'static str,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// In a row.
    failures: u32,
    /// Nothing is sent before this.
    until: Option<Instant>,
    pause: Duration,
}

impl Breaker {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, state: Mutex::default() }
    }

    /// Takes the right to call, or says how long there is none.
    pub(crate) fn enter(&self, now: Instant) -> Result<(), Duration> {
        let mut state = self.lock();
        let Some(until) = state.until else { return Ok(()) };
        if now < until {
            return Err(until - now);
        }
        // This call is the trial; until its outcome is known nobody else is sent.
        state.until = Some(now + TRIAL);
        Ok(())
    }

    /// How long there is no right to call; none when there is.
    pub(crate) fn closed_for(&self, now: Instant) -> Option<Duration> {
        let until = self.lock().until?;
        until.checked_duration_since(now).filter(|rest| !rest.is_zero())
    }

    /// The provider answered, whatever it said.
    pub(crate) fn answered(&self) {
        let mut state = self.lock();
        if state.until.is_some() {
            tracing::info!(provider = self.name, "the {} answers again", self.name);
        }
        *state = State::default();
        metrics::gauge!("reflect_provider_open", "provider" => self.name).set(0.0);
    }

    /// The provider did not answer, and asked for this much peace, if it asked.
    pub(crate) fn failed(&self, asked: Option<Duration>, now: Instant) {
        let mut state = self.lock();
        state.failures += 1;
        metrics::counter!("reflect_provider_failures_total", "provider" => self.name).increment(1);
        if state.failures < FAILURES {
            return;
        }
        state.pause = (state.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        let pause = state.pause.max(asked.unwrap_or_default()).min(LONGEST_PAUSE);
        if state.until.is_none() {
            let seconds = pause.as_secs();
            tracing::warn!(
                provider = self.name,
                seconds,
                "the {} does not answer: not asking it for {seconds} s",
                self.name
            );
        }
        state.until = Some(now + pause);
        metrics::gauge!("reflect_provider_open", "provider" => self.name).set(1.0);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_in_a_row_close_it_and_one_trial_decides() {
        let breaker = Breaker::new("test");
        let start = Instant::now();
        for _ in 0..FAILURES {
            assert_eq!(breaker.enter(start), Ok(()));
            breaker.failed(None, start);
        }
        assert_eq!(breaker.enter(start), Err(FIRST_PAUSE));

        let later = start + FIRST_PAUSE;
        assert_eq!(breaker.enter(later), Ok(()));
        assert!(breaker.enter(later).is_err(), "only one trial at a time");
        breaker.failed(None, later);
        assert_eq!(breaker.enter(later), Err(FIRST_PAUSE * 2));

        let later = later + FIRST_PAUSE * 2;
        assert_eq!(breaker.enter(later), Ok(()));
        breaker.answered();
        assert_eq!(breaker.enter(later), Ok(()));
        assert_eq!(breaker.enter(later), Ok(()));
    }

    #[test]
    fn an_answer_in_between_starts_the_count_anew() {
        let breaker = Breaker::new("test");
        let now = Instant::now();
        for _ in 0..FAILURES * 3 {
            breaker.failed(None, now);
            breaker.answered();
        }
        assert_eq!(breaker.closed_for(now), None);
    }

    #[test]
    fn a_provider_that_asks_for_peace_gets_it_within_reason() {
        let breaker = Breaker::new("test");
        let now = Instant::now();
        for _ in 0..FAILURES {
            breaker.failed(Some(Duration::from_secs(30)), now);
        }
        assert_eq!(breaker.closed_for(now), Some(Duration::from_secs(30)));
        breaker.failed(Some(Duration::from_secs(3600)), now);
        assert_eq!(breaker.closed_for(now), Some(LONGEST_PAUSE));
    }
}
