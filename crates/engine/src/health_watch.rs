//! Announces changes of a project's loop health to its webhooks.

use reflect_rules::webhooks::AnnouncedHealth;
use reflect_store::{About, NewEvent, Store, StoreError};
use reflect_types::{HealthLevel, ProjectId, WebhookEventType};
use serde_json::{Value, json};

use crate::loop_health::LoopHealthReader;

/// Compares the health of learning loops with what was announced last.
#[derive(Debug, Clone)]
pub(crate) struct HealthWatch {
    store: Store,
    health: LoopHealthReader,
}

impl HealthWatch {
    pub(crate) const fn new(store: Store, health: LoopHealthReader) -> Self {
        Self { store, health }
    }

    /// Announces a change in one project. Returns how many events there are: 0 or 1.
    pub(crate) async fn check(&self, project: ProjectId) -> Result<u64, StoreError> {
        let found = self.health.of(project).await?;
        let checks = found.findings.iter().map(|finding| (finding.check, finding.level));
        let now = AnnouncedHealth::of(found.status, checks);
        let project = self.store.project(project);
        let announcements = project.admin().webhooks().announcements();
        let announced = announcements
            .announce(About::Health, &now, |before| now.differs_from(before).then(|| event(before, &now)));
        Ok(u64::from(announced.await?))
    }
}

fn event(before: Option<&AnnouncedHealth>, now: &AnnouncedHealth) -> NewEvent {
    let data = json!({
        "status": now.status,
        "status_before": before.map(|before| before.status),
        "problems": problems(now),
        "problems_before": before.map(problems),
    });
    NewEvent { event_type: WebhookEventType::HealthChanged, subject: "health".to_owned(), data }
}

/// The checks that found a problem. Their sentences can contain names of clients, so they are not sent.
fn problems(health: &AnnouncedHealth) -> Value {
    let problem = |(check, level): (&String, &HealthLevel)| json!({ "check": check, "level": level });
    health.problems.iter().map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_names_the_checks_before_and_now() {
        let before = AnnouncedHealth::of(HealthLevel::Ok, [("vague_feedback", HealthLevel::Ok)]);
        let now = AnnouncedHealth::of(HealthLevel::Failing, [("nobody_reviews", HealthLevel::Failing)]);

        let event = event(Some(&before), &now);

        let problems = json!([{ "check": "nobody_reviews", "level": "failing" }]);
        let expected = json!({
            "status": "failing", "status_before": "ok", "problems": problems, "problems_before": [],
        });
        assert_eq!(event.data, expected);
    }
}
