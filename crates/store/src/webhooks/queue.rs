//! Which endpoints are due, over all projects.

use std::time::Duration;

use reflect_types::ProjectId;
use uuid::Uuid;

use crate::db::Db;
use crate::error::StoreError;
use crate::ids::WebhookId;

/// At most this many endpoints of one project are served at one time, by all processes together.
const MOST_OF_A_PROJECT: i32 = 4;

/// The queue of the endpoints of all projects.
#[derive(Debug, Clone, Copy)]
pub struct WebhookQueue<'a> {
    pub(crate) db: &'a Db,
}

/// Something that is due, claimed by one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueWebhook {
    /// Its project.
    pub project: ProjectId,
    /// The endpoint. `None`: runs that wait for a review are to be announced.
    pub webhook: Option<WebhookId>,
    /// How many runs began to wait since the last announcement.
    pub waiting_runs: i32,
}

impl WebhookQueue<'_> {
    /// Claims at most `most` endpoints that are due. The claims end after `hold`, unless they are extended. Each call uses another
    /// `worker`, so that a process notices if it has lost a claim and made it again.
    pub async fn claim(
        &self,
        worker: Uuid,
        most: usize,
        hold: Duration,
    ) -> Result<Vec<DueWebhook>, StoreError> {
        let rows: Vec<(ProjectId, WebhookId, i32)> =
            sqlx::query_as(include_str!("../../sql/webhooks/claim.sql"))
                .bind(worker)
                .bind(i32::try_from(most).unwrap_or(i32::MAX))
                .bind(hold.as_secs_f64())
                .bind(MOST_OF_A_PROJECT)
                .fetch_all(&self.db.pools.work)
                .await?;
        let due = rows.into_iter().map(|(project, webhook, waiting_runs)| DueWebhook {
            project,
            webhook: (!webhook.is_nil()).then_some(webhook),
            waiting_runs,
        });
        Ok(due.collect())
    }
}
