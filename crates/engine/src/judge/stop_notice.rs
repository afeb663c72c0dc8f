//! Announces to webhooks that a judge was stopped.

use std::collections::HashMap;

use reflect_rules::webhooks::AnnouncedJudge;
use reflect_store::{About, NewEvent, Store, StoreError, VerdictPairs};
use reflect_types::{ProjectId, WebhookEventType};
use serde_json::json;

use crate::agreement::Agreement;

/// Compares the state of judges with what was announced last. Each process remembers what it has compared.
#[derive(Debug, Default)]
pub(super) struct StopNotices(HashMap<ProjectId, AnnouncedJudge>);

impl StopNotices {
    /// Announces that a judge was stopped, if that is new. `types` are the events that the project's webhooks receive.
    pub(super) async fn announce(
        &mut self,
        store: &Store,
        id: ProjectId,
        types: i32,
        model: &str,
        agreement: &Agreement,
    ) -> Result<(), StoreError> {
        if types & WebhookEventType::JudgeStopped.bit() == 0 {
            self.0.remove(&id);
            return Ok(());
        }
        let now = AnnouncedJudge { model: model.to_owned(), stopped: agreement.stopped };
        if self.0.get(&id) == Some(&now) {
            return Ok(());
        }
        let project = store.project(id);
        let announcements = project.admin().webhooks().announcements();
        let announced = announcements.announce(About::Judge, &now, |before| {
            now.was_stopped_after(before).then(|| event(&now, agreement))
        });
        announced.await?;
        self.0.insert(id, now);
        Ok(())
    }
}

fn event(judge: &AnnouncedJudge, agreement: &Agreement) -> NewEvent {
    let VerdictPairs { passes, agreed_passes, fails, agreed_fails } = agreement.pairs;
    let data = json!({
        "model": judge.model,
        "informedness": (agreement.informedness * 1000.0).round() / 1000.0,
        "passes": passes,
        "agreed_passes": agreed_passes,
        "fails": fails,
        "agreed_fails": agreed_fails,
    });
    NewEvent { event_type: WebhookEventType::JudgeStopped, subject: "judge".to_owned(), data }
}
