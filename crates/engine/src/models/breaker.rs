//! Circuit breaker for a model provider.
//!
//! After a few failures in a row the circuit opens and no call is sent for a while. Then one trial call is allowed, and
//! its result decides for all callers. A provider that is down costs one call per pause instead of one per job.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Fewer failures may be a coincidence.
const FAILURES: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// After this time a trial call without a reported result counts as lost.
const TRIAL: Duration = Duration::from_secs(30);

/// The circuit breaker of one provider.
#[derive(Debug)]
pub(crate) struct Breaker {
    name: &'static str,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Failures in a row.
    failures: u32,
    /// No call is sent before this time.
    until: Option<Instant>,
    pause: Duration,
}

impl State {
    fn is_open(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    fn retry_after(&self, now: Instant) -> Option<Duration> {
        self.until.filter(|_| self.is_open(now)).map(|until| until - now)
    }
}

impl Breaker {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, state: Mutex::default() }
    }

    /// Permits a call, or returns how long no call is permitted.
    pub(crate) fn enter(&self, now: Instant) -> Result<(), Duration> {
        let mut state = self.lock();
        if let Some(rest) = state.retry_after(now) {
            return Err(rest);
        }
        if state.until.is_some() {
            // This is the trial call. Others wait for its result.
            state.until = Some(now + TRIAL);
        }
        Ok(())
    }

    /// Whether calls are refused.
    #[cfg(test)]
    fn is_open(&self, now: Instant) -> bool {
        self.lock().is_open(now)
    }

    /// How long calls are refused; `None` while the circuit is closed.
    pub(crate) fn retry_after(&self, now: Instant) -> Option<Duration> {
        self.lock().retry_after(now)
    }

    /// The provider answered, even if it refused the request.
    pub(crate) fn answered(&self) {
        let mut state = self.lock();
        if state.until.is_some() {
            tracing::info!(provider = self.name, "the {} answers again", self.name);
        }
        *state = State::default();
        metrics::gauge!("reflect_provider_open", "provider" => self.name).set(0.0);
    }

    /// The provider did not answer. `retry_after` is the pause that it asked for.
    pub(crate) fn failed(&self, retry_after: Option<Duration>, now: Instant) {
        let mut state = self.lock();
        state.failures += 1;
        metrics::counter!("reflect_provider_failures_total", "provider" => self.name).increment(1);
        if state.failures < FAILURES {
            return;
        }
        state.pause = (state.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        let pause = state.pause.max(retry_after.unwrap_or_default()).min(LONGEST_PAUSE);
        if state.until.is_none() {
            let seconds = pause.as_secs();
            tracing::warn!(
                provider = self.name,
                seconds,
                "the {} does not answer: no calls for {seconds} s",
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
    fn failures_in_a_row_open_the_circuit_and_one_trial_decides() {
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
    fn an_answer_resets_the_count_of_failures() {
        let breaker = Breaker::new("test");
        let now = Instant::now();
        for _ in 0..FAILURES * 3 {
            breaker.failed(None, now);
            breaker.answered();
        }
        assert!(!breaker.is_open(now));
    }

    #[test]
    fn the_pause_that_a_provider_asks_for_is_respected_up_to_a_limit() {
        let breaker = Breaker::new("test");
        let now = Instant::now();
        for _ in 0..FAILURES {
            breaker.failed(Some(Duration::from_secs(30)), now);
        }
        assert_eq!(breaker.retry_after(now), Some(Duration::from_secs(30)));
        breaker.failed(Some(Duration::from_secs(3600)), now);
        assert_eq!(breaker.retry_after(now), Some(LONGEST_PAUSE));
    }
}
