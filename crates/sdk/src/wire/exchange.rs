//! One call: send, and send again where that may help, within the caller's time.

use std::time::{Duration, Instant};

use super::retry::{lot, repeat_after};
use super::{Answer, Request, Transport, no_connection, refusal};
use crate::Error;

/// How patient a client is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manners {
    /// For a call with all its repeats.
    pub(crate) timeout: Duration,
    pub(crate) max_retries: u32,
}

/// Everything that a call needs.
pub(crate) struct Exchange<'a> {
    pub(crate) transport: &'a Transport,
    pub(crate) manners: Manners,
    /// The method that was called, for messages.
    pub(crate) call: &'static str,
    /// A status that is an answer although it is no success.
    pub(crate) accepts: Option<u16>,
}

impl Exchange<'_> {
    /// The answer, or the error that it means. The time covers all repeats, so nobody waits longer than they said.
    pub(crate) async fn run(&self, request: &Request) -> Result<Answer, Error> {
        let began = Instant::now();
        let mut attempt = 0;
        loop {
            let left = self.manners.timeout.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
            let outcome = match self.transport.send(request, left).await {
                Ok(answer) if answer.status / 100 == 2 || self.accepts == Some(answer.status) => {
                    return Ok(answer);
                }
                outcome => outcome,
            };
            attempt += 1;
            let repeat =
                repeat_after(&self.manners, request.repeatable, attempt, began.elapsed(), &outcome, lot());
            match (repeat, outcome) {
                (Some(wait), _) => tokio::time::sleep(wait).await,
                (None, Ok(answer)) => return Err(refusal(&answer, self.call)),
                (None, Err(problem)) => {
                    return Err(no_connection(problem, self.call, self.transport.base_url()));
                }
            }
        }
    }
}
