//! The desk of a reviewer as plain state: what lies on it, what was decided, what can be undone. Keys, answers of the
//! server and the clock come in as events; what is to be done comes out as effects. Nothing is drawn or sent here.

mod conflict;
mod deciding;
mod field;
mod keys;
mod looking;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reflect_api::{QueuedTrace, QueuedTraces, TraceSteps};
use reflect_types::{ReviewId, ReviewResult, TraceId};

pub(crate) use conflict::Conflict;
pub(crate) use field::Field;
pub(crate) use keys::Key;
pub(crate) use looking::Whole;
#[cfg(test)]
pub(crate) use tests::trace as sample;

use super::mail::{Mail, Sent};

/// How many are ready behind the one that is looked at.
const AHEAD: usize = 3;
/// How many verdicts can be undone.
const UNDO_DEPTH: usize = 20;
/// A key within this time after a run appeared was meant for the one before.
pub(crate) const GUARD: Duration = Duration::from_millis(250);

/// What was decided about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Passed,
    Failed,
    Deferred,
    /// Only here and only now; nothing is written.
    Skipped,
    /// The server did not take the verdict.
    NotTaken,
}

impl Decision {
    fn of(result: ReviewResult) -> Self {
        match result {
            ReviewResult::Pass => Self::Passed,
            ReviewResult::Fail => Self::Failed,
        }
    }
}

/// A run on the desk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) trace: QueuedTrace,
    pub(crate) decision: Option<Decision>,
}

impl Item {
    pub(crate) fn id(&self) -> TraceId {
        self.trace.trace_id
    }
}

/// What the reviewer is in the middle of. It always shows on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    #[default]
    Reading,
    /// A fail waits for its feedback.
    Failing,
    /// Feedback is written, the verdict comes later.
    Writing,
    /// Feedback is written, now the verdict.
    Asking,
    /// For how long?
    Deferring,
    /// The keys are shown.
    Help,
}

/// How many of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) deferred: usize,
}

impl Tally {
    pub(crate) fn decided(&self) -> usize {
        self.passed + self.failed + self.deferred
    }

    fn count(&mut self, decision: Decision) -> Option<&mut usize> {
        match decision {
            Decision::Passed => Some(&mut self.passed),
            Decision::Failed => Some(&mut self.failed),
            Decision::Deferred => Some(&mut self.deferred),
            Decision::Skipped | Decision::NotTaken => None,
        }
    }

    fn add(&mut self, decision: Decision) {
        if let Some(count) = self.count(decision) {
            *count += 1;
        }
    }

    fn take_off(&mut self, decision: Decision) {
        if let Some(count) = self.count(decision) {
            *count = count.saturating_sub(1);
        }
    }
}

/// What happened.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    Key(Key),
    Pasted(String),
    /// What the editor was left with; none when it was left without a word.
    Edited(Option<String>),
    Arrived(QueuedTraces),
    NotFetched(String),
    Steps(TraceSteps),
    NotRead(String),
    /// Given to somebody else, reviewed, or gone.
    Lost(Vec<TraceId>),
    /// What became of something that was sent.
    Sent {
        trace: TraceId,
        mail: Mail,
        sent: Sent,
    },
    /// Some seconds have passed.
    Tick,
    /// What is on the desk is on the screen.
    Painted,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    Fetch(usize),
    Send {
        trace: TraceId,
        mail: Mail,
    },
    /// Takes a verdict back: out of the outbox if it still lies there, else from the server.
    Undo {
        trace: TraceId,
        review: Option<ReviewId>,
    },
    Release(Vec<TraceId>),
    /// Reads the run from this step on.
    Read {
        trace: TraceId,
        from: usize,
    },
    Edit(String),
    Quit,
}

/// The desk.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub(crate) items: Vec<Item>,
    /// The run that is looked at.
    pub(crate) at: Option<TraceId>,
    pub(crate) mode: Mode,
    /// What was written about runs that have no verdict yet.
    drafts: BTreeMap<TraceId, Field>,
    /// Verdicts that can be undone, the newest last, with the reviews that they became.
    undoable: Vec<(TraceId, Decision, Option<ReviewId>)>,
    pub(crate) conflicts: VecDeque<Conflict>,
    pub(crate) tally: Tally,
    /// How many more could be had, as the server said last.
    pub(crate) remaining: u64,
    /// How many decisions end the session.
    pub(crate) limit: usize,
    /// The step that is pointed at, counting from 0 among those that are listed.
    pub(crate) step: usize,
    /// The whole trajectory, when it is open.
    pub(crate) whole: Option<Whole>,
    /// How far the digest is scrolled down.
    pub(crate) scroll: usize,
    /// The last thing that has to be said.
    pub(crate) notice: Option<String>,
    /// Nothing more was to be had when it was last asked.
    dry: bool,
    fetching: bool,
    /// The run on the screen, and since when no key was pressed that was meant for another.
    shown: Option<(TraceId, Duration)>,
}

impl Desk {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Takes an event at a time counted from any start, and says what is to be done.
    pub(crate) fn on(&mut self, event: Event, now: Duration) -> Vec<Effect> {
        let mut effects = match event {
            Event::Key(key) => self.key(key, now),
            Event::Pasted(text) => self.pasted(&text),
            Event::Edited(text) => self.edited(text),
            Event::Arrived(queue) => self.arrived(queue),
            Event::NotFetched(why) => self.not_fetched(why),
            Event::Steps(steps) => self.read(steps),
            Event::NotRead(why) => self.not_read(why),
            Event::Lost(traces) => self.lost(&traces),
            Event::Sent { trace, mail, sent } => self.sent(trace, mail, sent),
            Event::Tick => {
                self.dry = false;
                Vec::new()
            }
            Event::Painted => self.painted(now),
        };
        if !effects.contains(&Effect::Quit) {
            effects.extend(self.wanting());
        }
        effects
    }

    /// The item that is looked at.
    pub(crate) fn current(&self) -> Option<&Item> {
        self.items.iter().find(|item| Some(item.id()) == self.at)
    }

    /// The run that a verdict would be about: none when there is none, or it has one.
    pub(crate) fn open_at(&self) -> Option<TraceId> {
        self.current().filter(|item| item.decision.is_none()).map(Item::id)
    }

    /// Everything that still waits for a decision here.
    pub(crate) fn open(&self) -> Vec<TraceId> {
        self.items.iter().filter(|item| item.decision.is_none()).map(Item::id).collect()
    }

    /// All that were given here: they are not to be given again.
    pub(crate) fn known(&self) -> Vec<TraceId> {
        self.items.iter().map(Item::id).collect()
    }

    /// What was written about the run that is looked at.
    pub(crate) fn draft(&self) -> Option<&Field> {
        self.drafts.get(&self.at?)
    }

    /// Whether the reviewer has done what they set out to do.
    pub(crate) fn is_done(&self) -> bool {
        self.tally.decided() >= self.limit
    }

    /// Asks for more, so that the next ones are there before they are wanted, and never for more than will be decided.
    fn wanting(&mut self) -> Option<Effect> {
        let open = self.open().len();
        let until_done = self.limit.saturating_sub(self.tally.decided() + open);
        let wanted = (AHEAD + 1).saturating_sub(open).min(until_done);
        if wanted == 0 || self.dry || self.fetching {
            return None;
        }
        self.fetching = true;
        Some(Effect::Fetch(wanted))
    }

    fn arrived(&mut self, queue: QueuedTraces) -> Vec<Effect> {
        self.fetching = false;
        self.dry = queue.items.is_empty();
        self.remaining = queue.remaining;
        let known = self.known();
        let fresh = queue.items.into_iter().filter(|trace| !known.contains(&trace.trace_id));
        self.items.extend(fresh.map(|trace| Item { trace, decision: None }));
        // A desk that was cleared shows what comes; otherwise nobody is torn away from what they look at.
        if self.open_at().is_none()
            && let Some(next) = self.next_open(None)
        {
            self.go_to(next);
        }
        Vec::new()
    }

    fn not_fetched(&mut self, why: String) -> Vec<Effect> {
        (self.fetching, self.dry) = (false, true);
        self.notice = Some(why);
        Vec::new()
    }

    fn lost(&mut self, traces: &[TraceId]) -> Vec<Effect> {
        self.items.retain(|item| item.decision.is_some() || !traces.contains(&item.id()));
        if self.at.is_some_and(|at| traces.contains(&at)) && self.current().is_none() {
            self.notice = Some("Somebody else has that run now.".to_owned());
            match self.next_open(None).or_else(|| self.items.last().map(Item::id)) {
                Some(next) => self.go_to(next),
                None => self.at = None,
            }
        }
        Vec::new()
    }

    fn painted(&mut self, now: Duration) -> Vec<Effect> {
        match (self.at, self.shown) {
            (Some(at), Some((shown, _))) if at == shown => {}
            (at, _) => self.shown = at.map(|at| (at, now)),
        }
        Vec::new()
    }

    /// Whether the run has been on the screen long enough for a verdict. A key that comes too soon starts the time
    /// anew, so that one that is held down decides nothing.
    fn seen_long_enough(&mut self, now: Duration) -> bool {
        match &mut self.shown {
            Some((trace, since)) if Some(*trace) == self.at => {
                let enough = now.saturating_sub(*since) >= GUARD;
                if !enough {
                    *since = now;
                }
                enough
            }
            _ => false,
        }
    }

    fn go_to(&mut self, trace: TraceId) {
        if self.at != Some(trace) {
            self.at = Some(trace);
            self.shown = None;
        }
        (self.mode, self.step, self.scroll, self.whole) = (Mode::Reading, 0, 0, None);
    }

    /// The next one without a decision: after the given one, else the first.
    fn next_open(&self, after: Option<TraceId>) -> Option<TraceId> {
        let index = self.items.iter().position(|item| Some(item.id()) == after).map_or(0, |index| index + 1);
        let (before, behind) = self.items.split_at(index);
        let is_open = |item: &&Item| item.decision.is_none() && Some(item.id()) != after;
        behind.iter().find(is_open).or_else(|| before.iter().find(is_open)).map(Item::id)
    }

    fn set_decision(&mut self, trace: TraceId, decision: Option<Decision>) {
        if let Some(item) = self.items.iter_mut().find(|item| item.id() == trace) {
            item.decision = decision;
        }
    }
}
