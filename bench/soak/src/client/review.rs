//! Reviews of stored runs: single, in bulk, replaced, withdrawn, and two concurrent ones.

use rand::RngExt;
use reflect_bench_ingest::http::Connection;
use serde_json::{Value, json};
use uuid::Uuid;

use super::record::id;
use super::{Call, Client, Reply, Standing};
use crate::audit::{Invariant, Violation};

impl Client {
    /// Reviews a run that has no review, and waits a short time for its lesson.
    pub(crate) async fn review_one(&mut self) {
        let Some((at, trace)) = self.pick(|standing| standing == Standing::None) else { return };
        let authored = self.likely(0.4);
        let (passed, verdict) = self.verdict(authored);
        let (_, tenant) = self.own[at];
        let call = Call::post(tenant, &format!("traces/{trace}/review"), verdict);
        let reply = self.ask(&call).await;
        self.count("review", &reply);
        let told = self.settle(at, &reply, Standing::Verdict(passed));
        // The same review again has the same id.
        if told.is_some() && self.likely(0.3) {
            let again = self.ask(&call).await;
            let again = again.success().and_then(|answer| id(&answer["review"]["id"]));
            self.log.compared += usize::from(again.is_some());
            if again.is_some() && again != told {
                let what =
                    format!("the same review of trace {trace} was stored as {told:?} and then as {again:?}");
                self.log.contradictions.push(Violation::new(Invariant::I7, what));
            }
        }
    }

    /// Reviews several runs in one call, without waiting.
    pub(crate) async fn review_batch(&mut self) {
        let Some((first, _)) = self.pick(|standing| standing == Standing::None) else { return };
        let tenant = self.own[first].1;
        let pending: Vec<usize> = (0..self.own.len())
            .filter(|at| self.own[*at].1 == tenant && self.standing(*at) == Standing::None)
            .take(4)
            .collect();
        let (mut reviews, mut verdicts) = (Vec::new(), Vec::new());
        for at in &pending {
            let (passed, mut verdict) = self.verdict(false);
            verdict["trace_id"] = json!(self.trace(*at));
            reviews.push(verdict);
            verdicts.push(passed);
        }
        let reply = self.ask(&Call::post(tenant, "reviews/batch", json!({ "reviews": reviews }))).await;
        self.count("batch of reviews", &reply);
        let results = reply.success().map(|answer| answer["results"].clone()).unwrap_or_default();
        // From the last to the first, because entries are removed from the list.
        for (number, (at, passed)) in pending.into_iter().zip(verdicts).enumerate().rev() {
            let result = results.get(number).cloned().filter(|result| result["error"].is_null());
            let of_one =
                Reply { answer: result.map(|result| (200, result)), may_come_late: reply.may_come_late };
            self.settle(at, &of_one, Standing::Verdict(passed));
        }
    }

    /// Replaces a review.
    pub(crate) async fn replace(&mut self) {
        let Some((at, trace)) = self.pick(|standing| matches!(standing, Standing::Verdict(_))) else {
            return;
        };
        let (passed, mut verdict) = self.verdict(self.composed.is_multiple_of(5));
        verdict["replace"] = json!(true);
        let reply = self.ask(&Call::post(self.own[at].1, &format!("traces/{trace}/review"), verdict)).await;
        self.count("replaced review", &reply);
        self.settle(at, &reply, Standing::Verdict(passed));
    }

    /// Withdraws a review.
    pub(crate) async fn withdraw(&mut self) {
        let Some((at, trace)) = self.pick(|standing| standing != Standing::None) else { return };
        let reply = self.ask(&Call::delete(self.own[at].1, &format!("traces/{trace}/review"))).await;
        self.count("withdrawn review", &reply);
        self.settle(at, &reply, Standing::None);
    }

    /// Sends two reviews of one run concurrently, each to another server. One of them must remain. Neither is retried,
    /// so the client does not know which.
    pub(crate) async fn contest(&mut self) {
        let Some((at, trace)) = self.pick(|_| true) else { return };
        let (place, tenant) = self.own.swap_remove(at);
        let before = std::mem::replace(&mut self.log.traces[place].standing, Standing::Unknown);
        let tenant = &self.surroundings.tenants[tenant];
        let path = format!("/v1/projects/{}/reviews/batch", tenant.slug);
        let headers = format!("authorization: Bearer {}\r\n", tenant.key);
        let servers = &self.surroundings.servers;
        let send = |server: usize, result: &'static str| {
            let verdict =
                json!({ "trace_id": trace, "result": result, "replace": true, "feedback_text": "contested" });
            let (path, headers) = (path.clone(), headers.clone());
            async move {
                let mut connection = Connection::open(&servers[server % servers.len()]).await.ok()?;
                let body = json!({ "reviews": [verdict] }).to_string();
                let answer = connection.post(&path, &headers, body.as_bytes()).await.ok()?;
                let answer: Value = serde_json::from_slice(&answer.body).ok()?;
                id(&answer["results"][0]["review"]["id"])
            }
        };
        let (one, other) = tokio::join!(send(0, "pass"), send(1, "fail"));
        let tally = self.log.tallies.entry("contested review").or_default();
        let told = [one, other].into_iter().flatten().count();
        tally.acknowledged += told;
        tally.unanswered += 2 - told;
        self.log.reviews.extend([one, other].into_iter().flatten());
        // A killed server may have committed its transaction or not. In both cases there is one review.
        if told > 0 || matches!(before, Standing::Verdict(_) | Standing::Either) {
            self.log.traces[place].standing = Standing::Either;
        }
    }

    /// One of its own traces in this state: the index in `own`, and the trace.
    fn pick(&mut self, wanted: impl Fn(Standing) -> bool) -> Option<(usize, Uuid)> {
        let fitting: Vec<usize> = (0..self.own.len()).filter(|at| wanted(self.standing(*at))).collect();
        let place = (!fitting.is_empty()).then(|| self.random.random_range(0..fitting.len()))?;
        Some((fitting[place], self.trace(fitting[place])?))
    }

    fn standing(&self, at: usize) -> Standing {
        self.log.traces[self.own[at].0].standing
    }

    fn trace(&self, at: usize) -> Option<Uuid> {
        self.log.traces[self.own[at].0].acknowledged
    }

    /// Records the review that a response confirms, and its id if there is one. Without a clear response, the trace is
    /// not used again.
    fn settle(&mut self, at: usize, reply: &Reply, standing: Standing) -> Option<Uuid> {
        let (place, tenant) = self.own[at];
        let told = reply.success().and_then(|answer| id(&answer["review"]["id"]));
        self.log.reviews.extend(told);
        if let Some(memory) = reply.success().and_then(|answer| id(&answer["created_memory_id"])) {
            self.surroundings.seen(tenant).note_memory(memory);
        }
        if matches!(reply.answer, Some((404, _))) {
            let what = format!("acknowledged trace {:?} was not found", self.log.traces[place].acknowledged);
            self.log.contradictions.push(Violation::new(Invariant::I1, what));
        }
        if reply.success().is_some() && !reply.may_come_late {
            self.log.traces[place].standing = standing;
        } else {
            self.log.traces[place].standing = Standing::Unknown;
            self.own.swap_remove(at);
        }
        told
    }
}
