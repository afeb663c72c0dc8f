//! Runs one arm: the tickets of the stream with their reviews, then tickets without learning.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::agent::act;
use crate::arms::{Arm, Author, Review, Vote};
use crate::environment::{Draw, Situation, Ticket, World};

/// The most actions per ticket: the length of the longest official solution.
const MOST_ACTIONS: usize = 12;

/// One step of a run.
#[derive(Debug, Clone)]
pub struct Step {
    /// What the agent saw.
    pub state: Arc<Situation>,
    /// The memories that it was shown.
    pub shown: Vec<Vote>,
    /// What it did.
    pub action: usize,
}

/// The work on one ticket.
#[derive(Debug, Clone)]
pub struct Run {
    /// The steps.
    pub steps: Vec<Step>,
    /// What the agent saw at the end.
    pub end: Arc<Situation>,
    /// Whether the ticket is solved.
    pub right: bool,
}

impl Run {
    /// What the agent saw first.
    pub fn first(&self) -> &Arc<Situation> {
        self.steps.first().map_or(&self.end, |step| &step.state)
    }

    /// The actions.
    pub fn taken(&self) -> Vec<usize> {
        self.steps.iter().map(|step| step.action).collect()
    }

    /// The memories that were shown in any step, each once, oldest first.
    pub fn shown(&self) -> BTreeSet<usize> {
        self.steps.iter().flat_map(|step| &step.shown).map(|vote| vote.memory).collect()
    }
}

/// The result of one ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Solution {
    /// The actions.
    pub actions: Vec<usize>,
    /// Whether the ticket is solved.
    pub right: bool,
}

/// All results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The results of the stream.
    pub stream: Vec<Solution>,
    /// The results of the held-out tickets.
    pub held_out: Vec<Solution>,
    /// The results of the official base split.
    pub base: Vec<Solution>,
    /// The number of searched memories at the end.
    pub memories: usize,
    /// The number of their lessons.
    pub lessons: usize,
}

/// Runs an arm.
pub fn run(world: &World, draw: &Draw, arm: &mut dyn Arm) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    for (place, ticket) in draw.stream.iter().enumerate() {
        let ticket = &world.tickets[*ticket];
        let run = play(world, ticket, arm)?;
        let passed = run.right != draw.wrong_review[place];
        let mut missing = None;
        if !passed {
            let named = ticket.gold.iter().filter(|action| !run.taken().contains(action));
            let named: Vec<usize> = named.copied().filter(|_| draw.feedback[place]).collect();
            missing = match named.get((draw.pick[place] * named.len() as f64) as usize) {
                Some(action) => Some((*action, Author::Reviewer)),
                None => Some((guess(&run, arm)?, Author::Guess)),
            };
        }
        arm.learn(&Review { run: &run, passed, missing })?;
        outcome.stream.push(solution(&run));
    }
    for (tickets, results) in [(&draw.held_out, &mut outcome.held_out), (&draw.base, &mut outcome.base)] {
        for ticket in tickets {
            results.push(solution(&play(world, &world.tickets[*ticket], arm)?));
        }
    }
    (outcome.memories, outcome.lessons) = arm.size();
    Ok(outcome)
}

/// Works on a ticket until it is solved, given up, or too long.
fn play(world: &World, ticket: &Ticket, arm: &mut dyn Arm) -> anyhow::Result<Run> {
    let mut state = ticket.start;
    let (mut steps, mut taken): (Vec<Step>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut situation = world.situation(ticket, state)?;
    while steps.len() < MOST_ACTIONS && !situation.solved && !taken.contains(&world.transfer) {
        let shown = arm.choose(&situation, &taken)?;
        let action = act(&situation.prior, &taken, &shown);
        state = world.step(state, action)?;
        steps.push(Step { state: situation, shown, action });
        taken.push(action);
        situation = world.situation(ticket, state)?;
    }
    let right = world.passes(ticket, state, &taken);
    Ok(Run { steps, end: situation, right })
}

/// What the agent would have done next.
fn guess(run: &Run, arm: &mut dyn Arm) -> anyhow::Result<usize> {
    let taken = run.taken();
    let shown = arm.choose(&run.end, &taken)?;
    Ok(act(&run.end.prior, &taken, &shown))
}

fn solution(run: &Run) -> Solution {
    Solution { actions: run.taken(), right: run.right }
}
