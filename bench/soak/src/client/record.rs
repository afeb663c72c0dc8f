//! Records runs, and queries memories before that.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{Call, Client, SentTrace, Standing};
use crate::audit::{Invariant, Violation};

/// The review in a new run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum With {
    /// No review.
    Nothing,
    /// A review; a model writes the lesson.
    Review,
    /// A review with its lesson.
    AuthoredReview,
}

impl Client {
    /// Records a run; sometimes twice, with the same idempotency key.
    pub(crate) async fn record(&mut self, tenant: usize, with: With) {
        let shown = self.shown(tenant);
        let receipt = if self.likely(0.2) { self.receipt(tenant) } else { None };
        self.record_shown(tenant, with, json!(shown), receipt).await;
    }

    /// Queries memories, and records a run that was shown them, with the receipt or with memory ids.
    pub(crate) async fn ask_then_record(&mut self, tenant: usize) {
        let task = self.run().1["task"].clone();
        let call = Call::post(tenant, "memory/query", json!({ "task": task, "limit": 5 }));
        let reply = self.ask(&call).await;
        if !self.count("query", &reply) {
            return;
        }
        let memories = reply.success().and_then(Value::as_array).cloned().unwrap_or_default();
        let ids: Vec<Uuid> = memories.iter().filter_map(|memory| id(&memory["id"])).collect();
        let receipt = memories.first().and_then(|memory| id(&memory["retrieval_id"]));
        let slug = self.surroundings.tenants[tenant].slug.clone();
        self.log.served.extend(ids.iter().map(|memory| (slug.clone(), *memory)));
        {
            let mut seen = self.surroundings.seen(tenant);
            ids.iter().for_each(|memory| seen.note_memory(*memory));
            seen.receipts.extend(receipt);
        }
        let by_receipt = self.likely(0.5);
        let named = if by_receipt { json!([]) } else { json!(ids) };
        self.record_shown(tenant, With::Review, named, receipt.filter(|_| by_receipt)).await;
    }

    async fn record_shown(&mut self, tenant: usize, with: With, shown: Value, receipt: Option<Uuid>) {
        let (marker, mut body) = self.run();
        body["retrieved_memory_ids"] = shown;
        if let Some(receipt) = receipt {
            body["retrieval_id"] = json!(receipt);
        }
        let mut standing = Standing::None;
        if with != With::Nothing {
            let (passed, verdict) = self.verdict(with == With::AuthoredReview);
            body["review"] = verdict;
            standing = Standing::Verdict(passed);
        }
        let kind = match with {
            With::Nothing => "trace",
            With::Review => "trace with review",
            With::AuthoredReview => "trace with lesson",
        };
        let place = self.note_sent(tenant, marker, &body, standing);
        let call = Call::post(tenant, "traces", body);
        let reply = self.ask(&call).await;
        self.count(kind, &reply);
        if let Some(answer) = reply.success() {
            self.note_acknowledged(tenant, place, answer);
        }
        if self.likely(0.15) {
            self.compare(&call, reply.answer).await;
        }
    }

    /// Records several runs in one call.
    pub(crate) async fn record_batch(&mut self, tenant: usize) {
        let (mut places, mut runs) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let (marker, mut body) = self.run();
            body["retrieved_memory_ids"] = json!(self.shown(tenant));
            let (passed, verdict) = self.verdict(false);
            body["review"] = verdict;
            places.push(self.note_sent(tenant, marker, &body, Standing::Verdict(passed)));
            runs.push(body);
        }
        let call = Call::post(tenant, "traces/batch", json!({ "traces": runs }));
        let reply = self.ask(&call).await;
        self.count("batch of traces", &reply);
        let results = reply.success().and_then(|answer| answer["results"].as_array()).cloned();
        for (place, answer) in places.into_iter().zip(results.unwrap_or_default()) {
            self.note_acknowledged(tenant, place, &answer);
        }
        if self.likely(0.15) {
            self.compare(&call, reply.answer).await;
        }
    }

    /// A repeated call must get the same response from every process.
    async fn compare(&mut self, call: &Call, before: Option<(u16, Value)>) {
        self.server += 1;
        let again = self.ask(call).await;
        let (Some(before), Some(again)) = (before, again.answer) else { return };
        self.log.compared += 1;
        if before != again {
            let what = format!("the same call was answered {before:?} and then {again:?}");
            self.log.contradictions.push(Violation::new(Invariant::I7, what));
        }
    }

    fn note_sent(&mut self, tenant: usize, marker: String, body: &Value, standing: Standing) -> usize {
        let project = self.surroundings.tenants[tenant].slug.clone();
        let sent = SentTrace { project, marker, body: body.clone(), acknowledged: None, standing };
        self.log.traces.push(sent);
        self.log.traces.len() - 1
    }

    fn note_acknowledged(&mut self, tenant: usize, place: usize, answer: &Value) {
        let Some(trace) = id(&answer["trace_id"]) else { return };
        self.log.traces[place].acknowledged = Some(trace);
        self.own.push((place, tenant));
        if let Some(memory) = id(&answer["created_memory_id"]) {
            self.surroundings.seen(tenant).note_memory(memory);
        }
    }
}

pub(super) fn id(value: &Value) -> Option<Uuid> {
    value.as_str()?.parse().ok()
}
