//! The calls, by what they are about. Each builds a request, sends it and reads the answer; what is the same for all is here.

mod care;
mod keys;
mod memories;
mod projects;
mod queue;
mod raw;
mod repeating;
mod reviews;
mod rows;
mod runs;
mod server;
mod traces;
mod waiting;

use std::time::Duration;

use reflect_types::TraceId;
use serde::de::DeserializeOwned;

pub use memories::{Augmented, Recalled};
pub use raw::RawAnswer;
pub use reviews::ReviewOutcome;
pub use rows::TraceFilter;

use crate::wire::{Answer, Exchange, Manners, Request};
use crate::{Error, Page, ReflectClient};

/// How long a read waits for this process's own runs to arrive first.
const CATCHING_UP: Duration = Duration::from_secs(10);

impl ReflectClient {
    /// The JSON that a request is answered with.
    async fn ask<T: DeserializeOwned>(&self, call: &'static str, request: Request) -> Result<T, Error> {
        self.answer(call, request).await?.json(call)
    }

    /// The whole answer, with its headers.
    async fn answer(&self, call: &'static str, request: Request) -> Result<Answer, Error> {
        self.answer_within(call, request, self.settings().manners).await
    }

    async fn answer_within(
        &self,
        call: &'static str,
        request: Request,
        manners: Manners,
    ) -> Result<Answer, Error> {
        self.exchange(call, manners, None).run(&request).await
    }

    fn exchange(&self, call: &'static str, manners: Manners, accepts: Option<u16>) -> Exchange<'_> {
        Exchange { transport: &self.settings().transport, manners, call, accepts }
    }

    /// One page of a list.
    async fn page<T: DeserializeOwned>(&self, call: &'static str, path: String) -> Result<Page<T>, Error> {
        let answer = self.answer(call, Request::get(path)).await?;
        let next_cursor = answer.header("x-next-cursor").map(str::to_owned);
        Ok(Page { items: answer.json(call)?, next_cursor })
    }

    /// The entries of an answer in which each of `asked` has its own.
    fn counted<T>(call: &'static str, results: Vec<T>, asked: usize) -> Result<Vec<T>, Error> {
        if results.len() == asked {
            return Ok(results);
        }
        let reason = format!("{} results for {asked} entries", results.len());
        Err(Error::Unreadable { call, reason, request_id: None })
    }

    /// Sends the runs that are still here, or the one that is asked for, so that whoever reads sees what they wrote.
    async fn catch_up(&self, trace_id: Option<TraceId>) {
        let settings = self.settings();
        if settings.outbox.holds(trace_id) {
            settings.outbox.settle_within(CATCHING_UP.min(settings.manners.timeout)).await;
        }
    }
}
