//! What decisions do to the desk, and what is to be sent because of them.

use std::time::Duration;

use reflect_types::{ReviewResult, TraceId};

use super::{Conflict, Decision, Desk, Effect, Field, Mode, UNDO_DEPTH};
use crate::review::mail::{Mail, Sent};

impl Desk {
    /// Gives the verdict on the run that is looked at, if it was looked at.
    pub(super) fn decide(&mut self, result: ReviewResult, now: Duration) -> Vec<Effect> {
        if self.open_at().is_none() || !self.seen_long_enough(now) {
            return Vec::new();
        }
        self.conclude(result)
    }

    pub(super) fn begin_fail(&mut self, now: Duration) -> Vec<Effect> {
        if self.open_at().is_none() || !self.seen_long_enough(now) {
            return Vec::new();
        }
        self.write(Mode::Failing)
    }

    /// The verdict of somebody who has chosen before and written about it since.
    fn conclude(&mut self, result: ReviewResult) -> Vec<Effect> {
        let Some(trace) = self.open_at() else { return Vec::new() };
        let feedback = self.take_draft(trace);
        let decision = Decision::of(result);
        self.note_undoable(trace, decision);
        self.decided(trace, decision);
        self.notice = Some(match result {
            ReviewResult::Pass => "Passed. u takes it back.".to_owned(),
            ReviewResult::Fail => "Failed. u takes it back.".to_owned(),
        });
        vec![Effect::Send { trace, mail: Mail::Review { result, feedback, replace: false } }]
    }

    pub(super) fn defer(&mut self, seconds: u64, words: &str) -> Vec<Effect> {
        let Some(trace) = self.open_at() else { return self.enter(Mode::Reading) };
        let note = self.take_draft(trace);
        self.decided(trace, Decision::Deferred);
        self.notice = Some(format!("Deferred {words}."));
        vec![Effect::Send { trace, mail: Mail::Defer { seconds, note } }]
    }

    /// For me and for now: nothing is written, others may have it at once.
    pub(super) fn skip(&mut self) -> Vec<Effect> {
        let Some(trace) = self.open_at() else { return Vec::new() };
        self.decided(trace, Decision::Skipped);
        self.notice = Some("Skipped.".to_owned());
        vec![Effect::Release(vec![trace])]
    }

    /// Takes the newest verdict back.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let Some((trace, decision, review)) = self.undoable.pop() else {
            self.notice = Some("There is no verdict of this session left to undo.".to_owned());
            return Vec::new();
        };
        self.set_decision(trace, None);
        self.tally.take_off(decision);
        self.go_to(trace);
        self.shown = None;
        self.notice = Some("Undone.".to_owned());
        vec![Effect::Undo { trace, review }]
    }

    /// Ends writing: a fail is complete with its words, anything else asks for its verdict now.
    pub(super) fn submit(&mut self) -> Vec<Effect> {
        let blank = self.draft().is_none_or(Field::is_blank);
        match self.mode {
            Mode::Failing if blank => {
                self.notice =
                    Some("Say what was wrong, or press Esc and N to fail it without a word.".to_owned());
                Vec::new()
            }
            Mode::Failing => self.conclude(ReviewResult::Fail),
            _ if blank => self.enter(Mode::Reading),
            _ => self.enter(Mode::Asking),
        }
    }

    pub(super) fn write(&mut self, mode: Mode) -> Vec<Effect> {
        self.notice = None;
        self.enter(mode)
    }

    pub(super) fn enter(&mut self, mode: Mode) -> Vec<Effect> {
        if self.open_at().is_some() || mode == Mode::Reading {
            self.mode = mode;
        }
        Vec::new()
    }

    pub(super) fn note_on_step(&mut self) -> Vec<Effect> {
        let (Some(at), Some(step)) = (self.open_at(), self.step_number()) else { return Vec::new() };
        let before = self.drafts.get(&at).map(|field| field.text().trim_end().to_owned()).unwrap_or_default();
        let text =
            if before.is_empty() { format!("step {step}: ") } else { format!("{before} step {step}: ") };
        self.drafts.insert(at, Field::of(text));
        self.write(Mode::Writing)
    }

    pub(super) fn edited(&mut self, text: Option<String>) -> Vec<Effect> {
        if let (Some(at), Some(text)) = (self.at, text) {
            self.drafts.insert(at, Field::of(text.trim_end()));
        }
        Vec::new()
    }

    /// What became of something that was sent.
    pub(super) fn sent(&mut self, trace: TraceId, mail: Mail, sent: Sent) -> Vec<Effect> {
        match (sent, mail) {
            (Sent::Done { review }, Mail::Review { .. }) => {
                for undoable in self.undoable.iter_mut().filter(|undoable| undoable.0 == trace) {
                    undoable.2 = review;
                }
            }
            (Sent::Conflict { theirs }, Mail::Review { result, feedback, .. }) => {
                self.not_taken(trace);
                self.conflicts.push_back(Conflict { trace, theirs, result, feedback });
            }
            (Sent::Refused { why }, mail) => {
                if matches!(mail, Mail::Review { .. }) {
                    self.not_taken(trace);
                }
                self.notice = Some(format!("Not taken: {why}"));
            }
            _ => {}
        }
        Vec::new()
    }

    pub(super) fn note_undoable(&mut self, trace: TraceId, decision: Decision) {
        self.undoable.push((trace, decision, None));
        if self.undoable.len() > UNDO_DEPTH {
            self.undoable.remove(0);
        }
    }

    pub(super) fn decided(&mut self, trace: TraceId, decision: Decision) {
        self.set_decision(trace, Some(decision));
        self.tally.add(decision);
        self.drafts.remove(&trace);
        self.mode = Mode::Reading;
        if self.at == Some(trace) {
            match self.next_open(Some(trace)) {
                Some(next) => self.go_to(next),
                None => self.go_to(trace),
            }
        }
    }

    /// What was never stored cannot be undone: that would take back somebody else's review.
    fn not_taken(&mut self, trace: TraceId) {
        self.undoable.retain(|undoable| undoable.0 != trace);
        let decision = self.items.iter().find(|item| item.id() == trace).and_then(|item| item.decision);
        if let Some(decision) = decision {
            self.tally.take_off(decision);
            self.set_decision(trace, Some(Decision::NotTaken));
        }
    }

    fn take_draft(&mut self, trace: TraceId) -> Option<String> {
        let text = self.drafts.remove(&trace)?.text().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}
