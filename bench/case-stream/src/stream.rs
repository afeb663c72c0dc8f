//! Runs one arm in one environment: the tasks of the stream, then held-out tasks without learning.

use std::collections::HashSet;

use crate::agent;
use crate::arms::{Arm, Bank, Question, Review};
use crate::environment::Environment;

/// The result of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The indexes of the memories that were shown, best first, once per vote.
    pub shown: Vec<usize>,
    /// The tool that was called.
    pub action: usize,
    /// Whether it was the right one.
    pub right: bool,
}

/// All results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The results of the stream.
    pub stream: Vec<Run>,
    /// The results of the held-out tasks.
    pub held_out: Vec<Run>,
    /// The number of lessons at the end.
    pub lessons: usize,
    /// The number of searched memories at the end.
    pub situations: usize,
    /// The number of different lessons in the answers to all held-out tasks.
    pub lessons_shown: usize,
}

/// Runs an arm.
pub fn run(environment: &Environment<'_>, arm: &mut dyn Arm) -> anyhow::Result<Outcome> {
    let ground = environment.ground;
    let mut bank = Bank::new(&arm.import(environment));
    let mut reviews = Vec::with_capacity(ground.tasks());
    let mut outcome = Outcome::default();
    for (task, (query, truth)) in ground.stream.iter().zip(&environment.truth).enumerate() {
        let (row, (_, earlier)) = (ground.row(task), ground.similarities(task));
        let question = Question {
            query: *query,
            similarities: row,
            earlier,
            bank: &bank,
            truth: *truth,
            learning: true,
        };
        let shown = arm.choose(&question)?;
        let decision = agent::act(&ground.guesses[task], bank.advised(&shown, row));
        let right = decision.action == *truth;
        let passed = right != environment.wrong_review[task];
        let lesson = match (passed, environment.feedback[task]) {
            (true, _) => decision.action,
            (false, true) => *truth,
            (false, false) => decision.runner_up,
        };
        let review = Review {
            query: *query,
            task,
            similarities: row,
            earlier,
            reviews: &reviews,
            bank: &bank,
            shown: &shown,
            decision,
            passed,
            has_words: environment.feedback[task],
            lesson,
        };
        arm.learn(&review)?;
        let added = environment.grows.then(|| arm.add(&review));
        reviews.push(passed);
        if let Some(advice) = added {
            bank.add(advice);
        }
        outcome.stream.push(Run { shown, action: decision.action, right });
    }
    for (task, (query, truth)) in ground.held_out.iter().zip(&environment.held_out_truth).enumerate() {
        let row = ground.held_out_row(task);
        let earlier = &row[ground.imported.len()..];
        let question = Question {
            query: *query,
            similarities: row,
            earlier,
            bank: &bank,
            truth: *truth,
            learning: false,
        };
        let shown = arm.choose(&question)?;
        let action = agent::act(&ground.held_out_guesses[task], bank.advised(&shown, row)).action;
        outcome.lessons_shown += distinct(shown.iter().map(|memory| arm.lesson(*memory)));
        outcome.held_out.push(Run { shown, action, right: action == *truth });
    }
    let memories = bank.memories().map(|(memory, _)| memory);
    let active: Vec<usize> = memories.filter(|memory| arm.is_active(*memory)).collect();
    outcome.situations = active.len();
    outcome.lessons = distinct(active.iter().map(|memory| arm.lesson(*memory)));
    Ok(outcome)
}

fn distinct(lessons: impl Iterator<Item = usize>) -> usize {
    lessons.collect::<HashSet<_>>().len()
}
