//! Calls about signals.

use std::time::Duration;

use reflect_api::{
    AcceptedSignal, FeedbackToken, IssueFeedbackToken, SendSignal, SignalItem, SignalSources, SignalsAnswer,
    SignalsOfTrace,
};
use reflect_types::TraceId;
use serde::Serialize;
use uuid::Uuid;

use crate::connection::Connection;
use crate::error::Error;
use crate::signal::OutgoingSignal;
use crate::wire::{Request, counted};

/// The maximum of one request. Longer lists are sent in several requests.
const MAX_BATCH: usize = 100;

/// The body of a batch, which borrows the signals.
#[derive(Serialize)]
struct Batch<'a> {
    signals: Vec<&'a SendSignal>,
}

/// Calls about signals: `client.signals`.
#[derive(Debug, Clone)]
pub struct SignalCalls {
    pub(crate) connection: Connection,
}

impl SignalCalls {
    /// Reports the outcome of a run. It becomes a review later, if the rules of the project say so. A run of this client that
    /// is still unsent may arrive after its signal.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::OutgoingSignal;
    /// use reflect_sdk::types::{RunKeyName, SignalSource};
    ///
    /// let merged = OutgoingSignal::pass(SignalSource::merge()).about_key(RunKeyName::pull_request(), "118");
    /// let accepted = client.signals.send(&merged).await?;
    /// println!("about {} runs", accepted.trace_ids.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send(&self, signal: &OutgoingSignal) -> Result<AcceptedSignal, Error> {
        let request = Request::post(self.connection.path(&["signals"]), signal.body())?;
        self.connection.ask("signals.send", request.once(Uuid::now_v7())).await
    }

    /// Reports many outcomes. Returns one result for each, in order.
    pub async fn send_many(&self, signals: &[OutgoingSignal]) -> Result<Vec<SignalItem>, Error> {
        let mut items = Vec::with_capacity(signals.len());
        for part in signals.chunks(MAX_BATCH) {
            let batch = Batch { signals: part.iter().map(OutgoingSignal::body).collect() };
            let request = Request::post(self.connection.path(&["signals", "batch"]), &batch)?;
            let answer: SignalsAnswer =
                self.connection.ask("signals.send_many", request.once(Uuid::now_v7())).await?;
            items.extend(counted("signals.send_many", answer.results, part.len())?);
        }
        Ok(items)
    }

    /// The signals about a run, and what each means now.
    pub async fn of_trace(&self, trace_id: TraceId) -> Result<SignalsOfTrace, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "signals"]);
        self.connection.ask("signals.of_trace", Request::get(path)).await
    }

    /// The sources of signals: their rules, and how well each agrees with people.
    pub async fn sources(&self) -> Result<SignalSources, Error> {
        let path = self.connection.path(&["signals", "sources"]);
        self.connection.ask("signals.sources", Request::get(path)).await
    }

    /// Issues a token with which a browser can vote on this run at `/v1/feedback`, without a key.
    pub async fn feedback_token(
        &self,
        trace_id: TraceId,
        life: Option<Duration>,
    ) -> Result<FeedbackToken, Error> {
        let path = self.connection.path(&["traces", &trace_id.to_string(), "feedback-token"]);
        let body = IssueFeedbackToken { expires_in_seconds: life.map(|life| life.as_secs()) };
        self.connection.ask("signals.feedback_token", Request::post(path, &body)?).await
    }
}
