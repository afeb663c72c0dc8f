//! The bodies that clients send: runs, memory ids and reviews.

use rand::RngExt;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Client;

/// How many memories of a project most runs name.
const HOT: usize = 4;
/// How many tasks come again and again. Their memories absorb and supersede each other.
const REPEATED: u32 = 3;
/// The advice of lessons that clients send. One contradicts the other.
const ACTIONS: [&str; 2] = ["Read the order first.", "Refund it at once."];

impl Client {
    /// A new run and its marker.
    pub(crate) fn run(&mut self) -> (String, Value) {
        self.composed += 1;
        let marker = format!("{}-{}-{}", self.round, self.number, self.composed);
        let mut run = self.workload.next_trace();
        run["metadata"] = json!({ "run": marker });
        if self.likely(0.3) {
            run["task"] = json!(format!("Refund order {}", self.random.random_range(0..REPEATED)));
        }
        if self.likely(0.1) {
            let step = json!({ "task": "An order is open", "action": ACTIONS[0] });
            let message = json!({ "role": "assistant", "content": "I look it up.", "reflect_step": step });
            if let Some(messages) = run["trajectory"].as_array_mut() {
                messages.push(message);
            }
        }
        (marker, run)
    }

    /// The memory ids of a run: existing ones, duplicates, unknown ones, ids of other projects, and texts that are not
    /// ids.
    pub(crate) fn shown(&mut self, tenant: usize) -> Vec<String> {
        let mut shown: Vec<String> = Vec::new();
        for _ in 0..self.random.random_range(0..4) {
            let hot = self.likely(0.7);
            shown.extend(self.known_memory(tenant, hot).map(|id| id.to_string()));
        }
        if self.likely(0.4)
            && let Some(first) = shown.first().cloned()
        {
            shown.push(first);
        }
        if self.likely(0.2) {
            shown.push(Uuid::now_v7().to_string());
        }
        if self.likely(0.1) {
            shown.push("no id at all".to_owned());
        }
        if self.likely(0.3) {
            let other = (tenant + 1) % self.surroundings.tenants.len();
            shown.extend(self.known_memory(other, true).map(|id| id.to_string()));
        }
        shown
    }

    pub(crate) fn known_memory(&mut self, tenant: usize, hot: bool) -> Option<Uuid> {
        let seen = self.surroundings.seen(tenant);
        let among = if hot { seen.memories.len().min(HOT) } else { seen.memories.len() };
        let place = (among > 0).then(|| self.random.random_range(0..among))?;
        Some(seen.memories[place])
    }

    /// A receipt of the project, or of another one, which must have no effect.
    pub(crate) fn receipt(&mut self, tenant: usize) -> Option<Uuid> {
        let foreign = usize::from(self.likely(0.2));
        let seen = self.surroundings.seen((tenant + foreign) % self.surroundings.tenants.len());
        let place = (!seen.receipts.is_empty()).then(|| self.random.random_range(0..seen.receipts.len()))?;
        Some(seen.receipts[place])
    }

    /// A review. With `authored` it has its lesson, so no model is called. Returns whether the run passed.
    pub(crate) fn verdict(&mut self, authored: bool) -> (bool, Value) {
        let passed = self.likely(0.6);
        let mut verdict = json!({
            "result": if passed { "pass" } else { "fail" },
            "feedback_text": format!("as seen by client {} at {}", self.number, self.composed),
        });
        if self.likely(0.5) {
            verdict["alpha"] = json!([0.1, 0.5, 1.0][self.random.random_range(0..3)]);
        }
        if authored {
            let action = ACTIONS[usize::from(self.likely(0.3))];
            verdict["reflection"] = json!({ "summary": "Look before you leap.", "guidance": "Read the order before refunding it.",
                                            "correct_action": action });
        }
        (passed, verdict)
    }

    pub(crate) fn likely(&mut self, chance: f64) -> bool {
        self.random.random_bool(chance)
    }
}
