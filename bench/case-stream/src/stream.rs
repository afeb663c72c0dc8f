//! Runs one arm in one environment: the tasks of the stream, then held-out tasks without learning.

use crate::agent;
use crate::arms::{Arm, Bank, Question, Review};
use crate::environment::Environment;

/// The result of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The indexes of the memories that were shown, best first.
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
}

/// Runs an arm.
pub fn run(environment: &Environment<'_>, arm: &mut dyn Arm) -> anyhow::Result<Outcome> {
    let ground = environment.ground;
    let mut bank = Bank::new(&environment.advice);
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
            earlier,
            reviews: &reviews,
            bank: &bank,
            shown: &shown,
            decision,
            passed,
            lesson,
        };
        arm.learn(&review)?;
        reviews.push(passed);
        if environment.grows {
            bank.add(arm.keeps(passed).then_some(lesson));
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
        outcome.held_out.push(Run { shown, action, right: action == *truth });
    }
    Ok(outcome)
}
