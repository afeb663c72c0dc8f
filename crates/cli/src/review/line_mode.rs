//! Review without an interactive terminal: runs are printed one by one and verdicts are read from standard input, line
//! by line, as words or as JSON. It uses the same queue, leases, grace period and outbox as the interactive review.

use std::io::{BufRead, Write, stderr};
use std::time::Instant;

use reflect_api::{ChangeLeases, NextReviews, QueuedTrace};
use reflect_sdk::ReflectClient;
use reflect_types::{ReviewId, ReviewResult, TraceId};
use serde_json::json;

use super::line_input::{LineInput, parse_json, parse_words};
use super::outbox::Outbox;
use super::send::send;
use super::session::ReviewOptions;
use super::state::tally::Tally;
use super::submission::{OutboxEntry, SendOutcome, Submission};
use super::summary::summary;
use crate::failure::Failure;
use crate::output::{Output, plain, plain_line};

/// A review session in line mode.
pub(crate) struct LineReview<'a> {
    client: ReflectClient,
    outbox: Outbox,
    options: ReviewOptions,
    output: &'a Output,
    tally: Tally,
    undoable: Vec<Undoable>,
    seen: Vec<TraceId>,
    /// Runs to show again after an undo interrupted them.
    postponed: Vec<QueuedTrace>,
}

/// A verdict that can be undone.
struct Undoable {
    trace: TraceId,
    result: ReviewResult,
    review: Option<ReviewId>,
    /// The run to show again.
    run: Option<QueuedTrace>,
}

impl<'a> LineReview<'a> {
    pub(crate) fn new(
        client: ReflectClient,
        outbox: Outbox,
        options: ReviewOptions,
        output: &'a Output,
    ) -> Self {
        Self {
            client,
            outbox,
            options,
            output,
            tally: Tally::default(),
            undoable: Vec::new(),
            seen: Vec::new(),
            postponed: Vec::new(),
        }
    }

    /// Reviews until there are no more runs, no more input, or `limit` decisions.
    pub(crate) async fn review(mut self, limit: usize, input: impl BufRead) -> anyhow::Result<()> {
        let began = Instant::now();
        self.flush().await?;
        let mut input = input.lines();
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
            let Some(line) = input.next() else { break };
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let input = match self.output.is_json() {
                true => parse_json(&line).map_err(Failure::usage)?,
                false => match parse_words(&line) {
                    Some(input) => input,
                    None => {
                        self.output
                            .say("Type y (pass), n (fail), d (defer), s (skip), u (undo) or q (quit), then feedback if you like.");
                        continue;
                    }
                },
            };
            let at = trace.trace_id;
            match input {
                LineInput::Quit => break,
                LineInput::Skip => {
                    self.release(at).await;
                    shown = None;
                }
                LineInput::Undo => {
                    if let Some(run) = self.undo().await? {
                        self.show(&run)?;
                        self.postponed.extend(shown.replace(run));
                    }
                }
                LineInput::Submit(named, submission) => {
                    let about = named.unwrap_or(at);
                    let run = if about == at { shown.take() } else { None };
                    self.submit(about, submission, run).await?;
                }
            }
        }
        for trace in shown.iter().chain(&self.postponed) {
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
        if let Some(run) = self.postponed.pop() {
            return Ok(Some(run));
        }
        let unsent = self.outbox.waiting().iter().map(|entry| entry.trace);
        let skip: Vec<String> = self.seen.iter().copied().chain(unsent).map(|id| id.to_string()).collect();
        let request = NextReviews {
            count: Some(1),
            order: Some(self.options.order),
            lease_seconds: None,
            skip: Some(skip[skip.len().saturating_sub(1000)..].to_vec()),
            renew: self.seen.is_empty(),
            reviewer: self.options.reviewer.clone(),
            filter: None,
            q: Some(self.options.filter.clone()),
        };
        let next = self.client.queue.next(&request).await?.items.into_iter().next();
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

    async fn submit(
        &mut self,
        trace: TraceId,
        submission: Submission,
        run: Option<QueuedTrace>,
    ) -> anyhow::Result<()> {
        self.outbox.add(trace, submission.clone())?;
        match &submission {
            Submission::Review { result, .. } => {
                self.undoable.push(Undoable { trace, result: *result, review: None, run });
                *self.count(*result) += 1;
            }
            Submission::Defer { .. } => self.tally.deferred += 1,
            Submission::Withdraw { .. } => {}
        }
        self.flush().await
    }

    fn count(&mut self, result: ReviewResult) -> &mut usize {
        match result {
            ReviewResult::Pass => &mut self.tally.passed,
            ReviewResult::Fail => &mut self.tally.failed,
        }
    }

    /// Undoes the newest verdict and returns its run, to show it again.
    async fn undo(&mut self) -> anyhow::Result<Option<QueuedTrace>> {
        let Some(Undoable { trace, result, review, run }) = self.undoable.pop() else {
            self.output.say("This session has no verdict to undo.");
            return Ok(None);
        };
        *self.count(result) -= 1;
        if !self.outbox.recall(trace)? {
            self.outbox.add(trace, Submission::Withdraw { review })?;
        }
        self.flush().await?;
        Ok(run)
    }

    /// Sends the outbox. What cannot be sent now stays for the next session.
    async fn flush(&mut self) -> anyhow::Result<()> {
        while let Some(entry) = self.outbox.next() {
            let outcome = send(&self.client, &entry, self.options.reviewer.as_deref()).await;
            let must_retry = matches!(outcome, SendOutcome::Retry { .. });
            self.outbox.answered(entry.id, !must_retry)?;
            self.report(&entry, &outcome)?;
            if must_retry {
                break;
            }
        }
        Ok(())
    }

    fn report(&mut self, entry: &OutboxEntry, outcome: &SendOutcome) -> anyhow::Result<()> {
        // The status words are part of the JSON output.
        let (status, why) = match outcome {
            SendOutcome::Accepted { review } => {
                for undoable in self.undoable.iter_mut().filter(|undoable| undoable.trace == entry.trace) {
                    undoable.review = *review;
                }
                ("taken", None)
            }
            SendOutcome::Retry { message } => ("kept", Some(message.clone())),
            SendOutcome::Conflict { existing } => {
                let who = existing.as_ref().map_or("another reviewer", |review| review.reviewer.as_str());
                ("conflict", Some(format!("{who} already gave another verdict")))
            }
            SendOutcome::Rejected { message } => ("refused", Some(message.clone())),
        };
        if let (Submission::Review { result, .. }, "conflict" | "refused") = (&entry.submission, status) {
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
            self.output.warn(&format!("run {}: {status}: {why}", entry.trace));
        }
        Ok(())
    }

    async fn release(&self, trace: TraceId) {
        let request = ChangeLeases {
            trace_ids: vec![trace.to_string()],
            lease_seconds: None,
            release: true,
            reviewer: self.options.reviewer.clone(),
        };
        // If this fails, the lease expires.
        let _ = self.client.queue.change_leases(&request).await;
    }
}
