//! Sends what is due, in every process that does background work.

use std::time::Duration;

use reflect_rules::webhooks::{disable_reason, pause};
use reflect_store::{DueWebhook, ProjectCtx, RoundOutcome, Store, StoreError, WebhookId};
use reflect_types::ProjectId;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::payload::PayloadProject;
use super::round::Round;
use super::{WebhookSettings, review_notice};
use crate::error::chain;

/// How often a process looks for endpoints that are due.
const POLL: Duration = Duration::from_secs(1);
/// The claim on an endpoint ends after this, if its process dies. Longer than a round.
const HOLD: Duration = Duration::from_secs(30);
/// How many endpoints one process serves at one time.
const MOST_AT_ONCE: usize = 64;
/// How many deliveries of one endpoint are tried at one time. Each is about another subject.
const MOST_PER_ROUND: i64 = 8;
/// After this many rounds another endpoint has its turn.
const MOST_ROUNDS: usize = 25;

/// Sends events to the endpoints of all projects.
#[derive(Debug, Clone)]
pub struct WebhookSender {
    store: Store,
    settings: Option<WebhookSettings>,
}

impl WebhookSender {
    pub(crate) const fn new(store: Store, settings: Option<WebhookSettings>) -> Self {
        Self { store, settings }
    }

    /// Sends until `stop` is cancelled. Rounds that have begun are completed.
    pub async fn run(&self, stop: CancellationToken) {
        let Some(settings) = &self.settings else { return };
        let mut tasks = JoinSet::new();
        while !stop.is_cancelled() {
            while tasks.try_join_next().is_some() {}
            // Another id for each claim: a task that has lost its claim stops, even if its own process made the next one.
            let worker = Uuid::now_v7();
            for due in self.claim(worker, MOST_AT_ONCE - tasks.len()).await {
                let (sender, settings, stop) = (self.clone(), settings.clone(), stop.clone());
                tasks.spawn(async move { sender.serve(&settings, worker, due, &stop).await });
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(POLL) => {}
                Some(_) = tasks.join_next() => {}
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Sends everything that is due now, and returns how many endpoints were due.
    pub async fn run_once(&self) -> Result<usize, StoreError> {
        let Some(settings) = &self.settings else { return Ok(0) };
        let worker = Uuid::now_v7();
        let due = self.store.jobs().webhooks().claim(worker, MOST_AT_ONCE, HOLD).await?;
        for due in &due {
            self.serve_one(settings, worker, *due, &CancellationToken::new()).await?;
        }
        Ok(due.len())
    }

    async fn claim(&self, worker: Uuid, most: usize) -> Vec<DueWebhook> {
        if most == 0 {
            return Vec::new();
        }
        match self.store.jobs().webhooks().claim(worker, most, HOLD).await {
            Ok(due) => due,
            Err(error) => {
                tracing::debug!(error = chain(&error), "webhooks that are due could not be read");
                Vec::new()
            }
        }
    }

    async fn serve(
        &self,
        settings: &WebhookSettings,
        worker: Uuid,
        due: DueWebhook,
        stop: &CancellationToken,
    ) {
        if let Err(error) = self.serve_one(settings, worker, due, stop).await {
            let error = chain(&error);
            tracing::warn!(
                error,
                project = due.project.number(),
                "a webhook is tried again in half a minute: {error}"
            );
        }
    }

    async fn serve_one(
        &self,
        settings: &WebhookSettings,
        worker: Uuid,
        due: DueWebhook,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let project = self.store.project(due.project);
        match due.webhook {
            None => review_notice::announce(&project, worker, due.waiting_runs).await,
            Some(webhook) => {
                // A deleted project has no queue rows. It may have been deleted since.
                let Some(slug) = self.slug(due.project).await? else { return Ok(()) };
                let named = PayloadProject { slug: &slug, console_url: settings.console_url.as_deref() };
                self.send_rounds(settings, (worker, webhook), &project, named, stop).await
            }
        }
    }

    async fn slug(&self, project: ProjectId) -> Result<Option<String>, StoreError> {
        let mut rows = self.store.catalogue().project_rows(Some(&[project])).await?;
        Ok(rows.pop().map(|row| row.slug))
    }

    /// Sends to one endpoint until nothing is due, a round fails, or others have waited long enough.
    async fn send_rounds(
        &self,
        settings: &WebhookSettings,
        (worker, webhook): (Uuid, WebhookId),
        project: &ProjectCtx,
        named: PayloadProject<'_>,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let webhooks = project.admin().webhooks();
        let sending = webhooks.sending();
        for _ in 0..MOST_ROUNDS {
            let next = sending.next(worker, webhook, MOST_PER_ROUND, HOLD).await?;
            let Some((target, mut due)) = next else {
                // Another process has it, or it is disabled.
                return sending.release(worker, webhook, false, None).await;
            };
            // One attempt shows whether a failing receiver is back.
            if pause(target.failures, 0.5).is_some() {
                due.truncate(1);
            }
            if due.is_empty() || stop.is_cancelled() {
                break;
            }
            let round = Round { client: &settings.client, project, named, target: &target };
            let result = round.send(&due).await;
            let failures = sending.record(&target, &result.finished, result.outcome).await?;
            if result.outcome != RoundOutcome::Failed {
                continue;
            }
            if let Some(reason) = disable_reason(result.status, failures.count, failures.lasting) {
                tracing::warn!(webhook = %webhook, "webhook {webhook} is disabled: {reason}");
                webhooks.disable(&target, failures, &reason).await?;
                return sending.release(worker, webhook, false, None).await;
            }
            return sending.release(worker, webhook, true, pause(failures.count, rand::random())).await;
        }
        sending.release(worker, webhook, true, None).await
    }
}
