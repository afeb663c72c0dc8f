//! Looking without deciding: other runs, steps, the whole trajectory.

use reflect_api::{Step, TraceSteps};
use reflect_types::TraceId;

use super::{Desk, Effect, Item};

/// A trajectory that is open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whole {
    pub(crate) trace: TraceId,
    /// Those that were read so far.
    pub(crate) steps: Vec<Step>,
    /// How many there are; none before the first answer.
    pub(crate) total: Option<usize>,
    /// The step that is at the top.
    pub(crate) at: usize,
    /// How many lines further down.
    pub(crate) scroll: usize,
    reading: bool,
}

impl Desk {
    pub(super) fn move_by(&mut self, by: isize) -> Vec<Effect> {
        let index = self.items.iter().position(|item| Some(item.id()) == self.at);
        let next =
            index.and_then(|index| index.checked_add_signed(by)).and_then(|index| self.items.get(index));
        if let Some(next) = next.map(Item::id) {
            self.notice = None;
            self.go_to(next);
        }
        Vec::new()
    }

    pub(super) fn open_whole(&mut self) -> Vec<Effect> {
        if self.whole.take().is_some() {
            return Vec::new();
        }
        let Some(trace) = self.at else { return Vec::new() };
        let at = self.step_number().map_or(0, |number| number.saturating_sub(1));
        self.whole = Some(Whole { trace, steps: Vec::new(), total: None, at, scroll: 0, reading: true });
        vec![Effect::Read { trace, from: 0 }]
    }

    pub(super) fn read(&mut self, page: TraceSteps) -> Vec<Effect> {
        let Some(whole) = self.whole.as_mut().filter(|whole| whole.trace == page.trace_id) else {
            return Vec::new();
        };
        whole.reading = false;
        whole.total = Some(page.total);
        if page.from == whole.steps.len() {
            whole.steps.extend(page.steps);
        }
        whole.at = whole.at.min(page.total.saturating_sub(1));
        self.read_on()
    }

    pub(super) fn not_read(&mut self, why: String) -> Vec<Effect> {
        self.whole = None;
        self.notice = Some(why);
        Vec::new()
    }

    /// Asks for the next steps when the last ones that are here come near.
    fn read_on(&mut self) -> Vec<Effect> {
        const NEAR: usize = 50;
        match self.whole.as_mut() {
            Some(whole)
                if !whole.reading
                    && whole.total.is_some_and(|total| whole.steps.len() < total)
                    && whole.at + NEAR >= whole.steps.len() =>
            {
                whole.reading = true;
                vec![Effect::Read { trace: whole.trace, from: whole.steps.len() }]
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn step_by(&mut self, by: isize) -> Vec<Effect> {
        if let Some(whole) = &mut self.whole {
            let last = whole.steps.len().saturating_sub(1);
            whole.at = whole.at.saturating_add_signed(by).min(last);
            whole.scroll = 0;
            return self.read_on();
        }
        let last = self.listed_steps().saturating_sub(1);
        self.step = self.step.saturating_add_signed(by).min(last);
        Vec::new()
    }

    /// Goes to the next step that failed, and from the last one to the first.
    pub(super) fn next_error(&mut self) -> Vec<Effect> {
        if let Some(whole) = &mut self.whole {
            let failed = |from: usize| (from..whole.steps.len()).find(|index| whole.steps[*index].failed);
            if let Some(next) = failed(whole.at + 1).or_else(|| failed(0)) {
                (whole.at, whole.scroll) = (next, 0);
            }
            return self.read_on();
        }
        let failed: Vec<usize> =
            self.current().and_then(|item| item.trace.digest.steps.as_ref()).map_or(Vec::new(), |steps| {
                (0..steps.listed.len()).filter(|index| steps.listed[*index].failed).collect()
            });
        if let Some(next) = failed.iter().find(|index| **index > self.step).or(failed.first()) {
            self.step = *next;
        } else {
            self.notice = Some("No step of this run failed.".to_owned());
        }
        Vec::new()
    }

    pub(super) fn scroll_by(&mut self, by: isize) -> Vec<Effect> {
        match &mut self.whole {
            // Above the first line of a step is the step before.
            Some(whole) if by < 0 && whole.scroll == 0 => return self.step_by(-1),
            Some(whole) => whole.scroll = whole.scroll.saturating_add_signed(by),
            None => self.scroll = self.scroll.saturating_add_signed(by),
        }
        Vec::new()
    }

    /// The number by which people know the step that is pointed at, counting from 1.
    pub(super) fn step_number(&self) -> Option<usize> {
        if let Some(whole) = &self.whole {
            return (!whole.steps.is_empty()).then_some(whole.at + 1);
        }
        let steps = self.current()?.trace.digest.steps.as_ref()?;
        usize::try_from(steps.listed.get(self.step)?.step).ok()
    }

    fn listed_steps(&self) -> usize {
        self.current().and_then(|item| item.trace.digest.steps.as_ref()).map_or(0, |steps| steps.listed.len())
    }
}
