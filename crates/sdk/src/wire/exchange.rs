//! One call: sends a request and retries it within the timeout.

use std::time::{Duration, Instant};

use super::retry::{CallPolicy, jitter, retry_wait};
use super::{Answer, Request, Transport, no_connection, response_error};
use crate::error::Error;

/// The parameters of a call.
pub(crate) struct Exchange<'a> {
    pub(crate) transport: &'a Transport,
    pub(crate) policy: CallPolicy,
    /// The name of the method, for error messages.
    pub(crate) call: &'static str,
    /// An error status that the caller accepts as a response.
    pub(crate) accepts: Option<u16>,
}

impl Exchange<'_> {
    /// Sends the request and returns the response or the error. The timeout includes all retries.
    pub(crate) async fn run(&self, request: &Request) -> Result<Answer, Error> {
        let began = Instant::now();
        let mut attempt = 0;
        loop {
            let left = self.policy.timeout.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
            let outcome = match self.transport.send(request, left).await {
                Ok(answer) if answer.status / 100 == 2 || self.accepts == Some(answer.status) => {
                    return Ok(answer);
                }
                outcome => outcome,
            };
            attempt += 1;
            let repeat =
                retry_wait(&self.policy, request.repeatable, attempt, began.elapsed(), &outcome, jitter());
            match (repeat, outcome) {
                (Some(wait), _) => tokio::time::sleep(wait).await,
                (None, Ok(answer)) => return Err(response_error(&answer, self.call)),
                (None, Err(problem)) => {
                    return Err(no_connection(problem, self.call, self.transport.base_url()));
                }
            }
        }
    }
}
