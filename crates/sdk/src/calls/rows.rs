//! Calls that read runs as people do: as rows of a table, and step by step.

use chrono::{DateTime, SecondsFormat, Utc};
use reflect_api::{PartText, TraceLine, TraceSteps};
use reflect_types::{IngestStatus, MemoryId, ReviewResult, ReviewStatus, TraceId};

use crate::address::with_query;
use crate::wire::Request;
use crate::{Error, Listing, Page, ReflectClient};

/// Which runs are wanted. All that is given must hold.
///
/// ```
/// use reflect_sdk::{TraceFilter, types::ReviewStatus};
///
/// let filter = TraceFilter { review_status: Some(ReviewStatus::Pending), ..TraceFilter::default() };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceFilter {
    /// Reviewed or not.
    pub review_status: Option<ReviewStatus>,
    /// How far learning has come.
    pub ingest_status: Option<IngestStatus>,
    /// What the review said.
    pub result: Option<ReviewResult>,
    /// The model's name; with a `*` at the end, how it begins.
    pub model: Option<String>,
    /// Words of the task or the answer.
    pub text: Option<String>,
    /// Stored then or later.
    pub since: Option<DateTime<Utc>>,
    /// Stored before then.
    pub until: Option<DateTime<Utc>>,
    /// Runs that had this memory.
    pub memory_id: Option<MemoryId>,
    /// Runs in which a step went wrong, or none did.
    pub has_error: Option<bool>,
}

impl TraceFilter {
    fn parameters(&self) -> Vec<(&'static str, Option<String>)> {
        let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Micros, true);
        vec![
            ("review_status", self.review_status.map(|status| status.to_string())),
            ("ingest_status", self.ingest_status.map(|status| status.to_string())),
            ("result", self.result.map(|result| result.to_string())),
            ("model", self.model.clone()),
            ("text", self.text.clone()),
            ("since", self.since.map(time)),
            ("until", self.until.map(time)),
            ("memory_id", self.memory_id.map(|id| id.to_string())),
            ("has_error", self.has_error.map(|failed| failed.to_string())),
        ]
    }
}

impl ReflectClient {
    /// One page of runs as rows of a table, newest first, of `limit` entries at the most (100 when absent). A page
    /// may be short or empty and still have a next one: the server looks at so many runs and no more at a time.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::TraceFilter;
    ///
    /// let filter = TraceFilter { has_error: Some(true), ..TraceFilter::default() };
    /// let page = client.page_of_rows(&filter, None, Some(20)).await?;
    /// for row in page.items {
    ///     println!("{} {}", row.id, row.task);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page_of_rows(
        &self,
        filter: &TraceFilter,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<TraceLine>, Error> {
        if cursor.is_none() {
            self.catch_up(None).await;
        }
        let mut parameters = filter.parameters();
        parameters.push(("cursor", cursor.map(str::to_owned)));
        parameters.push(("limit", limit.map(|limit| limit.to_string())));
        self.page("page_of_rows", with_query(self.path(&["traces", "rows"]), &parameters)).await
    }

    /// The same, one row after the other.
    pub fn iter_rows(&self, filter: TraceFilter) -> Listing<TraceLine> {
        let client = self.clone();
        Listing::new(move |cursor| {
            let (client, filter) = (client.clone(), filter.clone());
            async move { client.page_of_rows(&filter, cursor.as_deref(), None).await }
        })
    }

    /// A run step by step, whatever form its messages have: from step `from` on, up to but without `to` (200 steps
    /// when absent). The answer says where it ends; go on from there.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient, id: reflect_sdk::types::TraceId)
    /// # -> Result<(), reflect_sdk::Error> {
    /// for step in client.get_steps(id, 0, None).await?.steps {
    ///     println!("{} {:?} {}", step.n, step.kind, step.title);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get_steps(
        &self,
        trace_id: TraceId,
        from: usize,
        to: Option<usize>,
    ) -> Result<TraceSteps, Error> {
        let parameters = [("from", Some(from.to_string())), ("to", to.map(|to| to.to_string()))];
        let path = self.path(&["traces", &trace_id.to_string(), "steps"]);
        self.ask("get_steps", Request::get(with_query(path, &parameters))).await
    }

    /// A stretch of one part of a run, in bytes, for parts that are longer than a step shows.
    pub async fn get_part(
        &self,
        trace_id: TraceId,
        part: usize,
        from: usize,
        to: Option<usize>,
    ) -> Result<PartText, Error> {
        let parameters = [("from", Some(from.to_string())), ("to", to.map(|to| to.to_string()))];
        let path = self.path(&["traces", &trace_id.to_string(), "parts", &part.to_string()]);
        self.ask("get_part", Request::get(with_query(path, &parameters))).await
    }
}
