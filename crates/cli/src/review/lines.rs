//! Reviewing without a terminal: runs are printed one after the other, and answers are read line by line, as words or
//! as JSON. The same queue, leases, grace and outbox as at a terminal.

use std::io::{BufRead, Write, stderr};
use std::time::Instant;

use reflect_api::{ChangeLeases, NextReviews, QueuedTrace};
use reflect_sdk::ReflectClient;
use reflect_types::{ReviewId, ReviewResult, TraceId};
use serde_json::json;

use super::answer::{Answer, by_json, by_word};
use super::desk::Tally;
use super::mail::{Entry, Mail, Sent};
use super::outbox::Outbox;
use super::post::send;
use super::session::Wish;
use super::summary::summary;
use crate::failure::Failure;
use crate::output::{Output, plain, plain_line};

/// Who is asked, and by what.
pub(crate) struct Lines<'a> {
    client: ReflectClient,
    outbox: Outbox,
    wish: Wish,
    output: &'a Output,
    tally: Tally,
    undoable: Vec<Undoable>,
    seen: Vec<TraceId>,
    /// Runs that were shown, and come again because another one was undone.
    put_by: Vec<QueuedTrace>,
}

/// A verdict that can be taken back.
struct Undoable {
    trace: TraceId,
    result: ReviewResult,
    review: Option<ReviewId>,
    /// What is shown again then.
    run: Option<QueuedTrace>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(client: ReflectClient, outbox: Outbox, wish: Wish, output: &'a Output) -> Self {
        Self {
            client,
            outbox,
            wish,
            output,
            tally: Tally::default(),
            undoable: Vec::new(),
            seen: Vec::new(),
            put_by: Vec::new(),
        }
    }

    /// Asks until there are no runs, no answers, or as many decisions as were wanted.
    pub(crate) async fn review(mut self, limit: usize, answers: impl BufRead) -> anyhow::Result<()> {
        let began = Instant::now();
        self.flush().await?;
        let mut answers = answers.lines();
        let mut shown = None;
        while self.tally.decided() < limit {
            if shown.is_none() {
                shown = self.next().await?;
                match &shown {
                    Some(trace) => self.show(trace)?,
                    None => break,
                }
            }
            let Some(trace) = &shown else { break };
            if !self.output.is_json() {
                write!(stderr(), "[y/n/d (defer)] ")?;
                stderr().flush()?;
            }
            let Some(line) = answers.next() else { break };
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let answer = match self.output.is_json() {
                true => by_json(&line).map_err(Failure::usage)?,
                false => match by_word(&line) {
                    Some(answer) => answer,
                    None => {
                        self.output
                            .say("y pass, n fail, d defer, s skip, u undo, q quit; feedback may follow.");
                        continue;
                    }
                },
            };
            let at = trace.trace_id;
            match answer {
                Answer::Quit => break,
                Answer::Skip => {
                    self.release(at).await;
                    shown = None;
                }
                Answer::Undo => {
                    if let Some(run) = self.undo().await? {
                        self.show(&run)?;
                        self.put_by.extend(shown.replace(run));
                    }
                }
                Answer::Say(named, mail) => {
                    let about = named.unwrap_or(at);
                    let run = if about == at { shown.take() } else { None };
                    self.say(about, mail, run).await?;
                }
            }
        }
        for trace in shown.iter().chain(&self.put_by) {
            self.release(trace.trace_id).await;
        }
        let said = summary(&self.tally, began.elapsed(), self.outbox.waiting().len());
        match self.output.is_json() {
            true => self.output.json_line(&json!({
                "schema": "review.summary/1", "passed": self.tally.passed, "failed": self.tally.failed,
                "deferred": self.tally.deferred, "unsent": self.outbox.waiting().len(),
            })),
            false => self.output.line(&said),
        }
    }

    async fn next(&mut self) -> anyhow::Result<Option<QueuedTrace>> {
        if let Some(run) = self.put_by.pop() {
            return Ok(Some(run));
        }
        let unsent = self.outbox.waiting().iter().map(|entry| entry.trace);
        let skip: Vec<String> = self.seen.iter().copied().chain(unsent).map(|id| id.to_string()).collect();
        let wish = NextReviews {
            count: Some(1),
            order: Some(self.wish.order),
            lease_seconds: None,
            skip: Some(skip[skip.len().saturating_sub(1000)..].to_vec()),
            renew: self.seen.is_empty(),
            reviewer: self.wish.reviewer.clone(),
            filter: Some(self.wish.filter.clone()),
        };
        let next = self.client.next_reviews(&wish).await?.items.into_iter().next();
        self.seen.extend(next.as_ref().map(|trace| trace.trace_id));
        Ok(next)
    }

    fn show(&self, trace: &QueuedTrace) -> anyhow::Result<()> {
        if self.output.is_json() {
            return self.output.json_line(&json!({ "schema": "review.run/1", "run": trace }));
        }
        let digest = &trace.digest;
        let mut text = format!("\nTASK\n{}\n\nANSWER\n{}\n", plain(&digest.task), plain(&digest.answer));
        if let Some(steps) = &digest.steps {
            text.push_str(&format!("\nSTEPS {}\n", steps.total));
            for step in steps.listed.iter().filter(|step| step.failed) {
                text.push_str(&format!("step {} failed: {}\n", step.step, plain_line(&step.title)));
            }
        }
        for memory in &digest.memories {
            text.push_str(&format!("MEMORY {:.2} {}\n", memory.q_value, plain_line(&memory.summary)));
        }
        self.output.line(&text)
    }

    async fn say(&mut self, trace: TraceId, mail: Mail, run: Option<QueuedTrace>) -> anyhow::Result<()> {
        self.outbox.add(trace, mail.clone())?;
        match &mail {
            Mail::Review { result, .. } => {
                self.undoable.push(Undoable { trace, result: *result, review: None, run });
                *self.count(*result) += 1;
            }
            Mail::Defer { .. } => self.tally.deferred += 1,
            Mail::Withdraw { .. } => {}
        }
        self.flush().await
    }

    fn count(&mut self, result: ReviewResult) -> &mut usize {
        match result {
            ReviewResult::Pass => &mut self.tally.passed,
            ReviewResult::Fail => &mut self.tally.failed,
        }
    }

    /// Takes the newest verdict back, and gives its run to be shown again.
    async fn undo(&mut self) -> anyhow::Result<Option<QueuedTrace>> {
        let Some(Undoable { trace, result, review, run }) = self.undoable.pop() else {
            self.output.say("There is no verdict of this session left to undo.");
            return Ok(None);
        };
        *self.count(result) -= 1;
        if !self.outbox.recall(trace)? {
            self.outbox.add(trace, Mail::Withdraw { review })?;
        }
        self.flush().await?;
        Ok(run)
    }

    /// Sends what waits. What cannot be sent now stays for the next time.
    async fn flush(&mut self) -> anyhow::Result<()> {
        while let Some(entry) = self.outbox.next() {
            let sent = send(&self.client, &entry, self.wish.reviewer.as_deref(), None).await;
            let is_later = matches!(sent, Sent::Later { .. });
            self.outbox.answered(entry.id, !is_later)?;
            self.tell(&entry, &sent)?;
            if is_later {
                break;
            }
        }
        Ok(())
    }

    fn tell(&mut self, entry: &Entry, sent: &Sent) -> anyhow::Result<()> {
        let (status, why) = match sent {
            Sent::Done { review } => {
                for undoable in self.undoable.iter_mut().filter(|undoable| undoable.trace == entry.trace) {
                    undoable.review = *review;
                }
                ("taken", None)
            }
            Sent::Later { why } => ("kept", Some(why.clone())),
            Sent::Conflict { theirs } => {
                let who = theirs.as_ref().map_or("somebody", |theirs| theirs.reviewer.as_str());
                ("conflict", Some(format!("{who} said otherwise before")))
            }
            Sent::Refused { why } => ("refused", Some(why.clone())),
        };
        if let (Mail::Review { result, .. }, "conflict" | "refused") = (&entry.mail, status) {
            self.undoable.retain(|undoable| undoable.trace != entry.trace);
            let count = self.count(*result);
            *count = count.saturating_sub(1);
        }
        if self.output.is_json() {
            return self.output.json_line(
                &json!({ "schema": "review.sent/1", "trace_id": entry.trace, "status": status, "why": why }),
            );
        }
        if let Some(why) = why {
            self.output.warn(&format!("{} was {status}: {why}", entry.trace));
        }
        Ok(())
    }

    async fn release(&self, trace: TraceId) {
        let wish = ChangeLeases {
            trace_ids: vec![trace.to_string()],
            lease_seconds: None,
            release: true,
            reviewer: self.wish.reviewer.clone(),
        };
        // What is not given back comes back by itself.
        let _ = self.client.change_leases(&wish).await;
    }
}
