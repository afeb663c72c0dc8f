//! The telecom environment of tau2-bench: a child process that runs its Python code, and the states that are known.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::project;

/// The state of a phone without a problem.
const HEALTHY: usize = 0;
/// A phone without a problem is at home, where this is no problem.
const NO_ROAMING: &str = "Data Roaming Enabled: No";

/// Something that the agent or the user can do.
#[derive(Debug, Clone, Deserialize)]
pub struct Action {
    /// Its name, with the argument that a ticket leaves open.
    pub name: String,
    /// What the agent reads about it.
    pub text: String,
}

/// A support ticket.
#[derive(Debug, Clone, Deserialize)]
pub struct Ticket {
    /// What the customer complains about.
    pub head: String,
    /// Whether the customer is abroad.
    pub abroad: bool,
    /// What a check shows when the problem is solved.
    pub goal: String,
    /// The first state.
    pub start: usize,
    /// The actions of the official solution.
    pub gold: Vec<usize>,
    /// The checks that the last state must pass.
    pub checks: Vec<usize>,
    /// Whether all actions of the official solution must have been taken too.
    pub needs_gold: bool,
    /// Whether it belongs to the official base split.
    pub base: bool,
}

#[derive(Debug, Deserialize)]
struct State {
    lines: Vec<usize>,
    checks: Vec<bool>,
}

/// The first line of the child.
#[derive(Debug, Deserialize)]
struct Graph {
    actions: Vec<Action>,
    tickets: Vec<Ticket>,
    statements: Vec<String>,
    states: Vec<State>,
    next: Vec<(usize, usize, usize)>,
}

/// An answer of the child, with the states and statements that are new.
#[derive(Debug, Deserialize)]
struct Answer {
    next: usize,
    states: Vec<State>,
    statements: Vec<String>,
}

/// The environment. The child writes the known states to a file when this is dropped.
#[derive(Debug)]
pub(super) struct Telecom {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    statements: Vec<String>,
    states: Vec<State>,
    next: HashMap<(usize, usize), usize>,
}

impl Telecom {
    /// Starts the child and reads what is known.
    pub(super) fn start() -> anyhow::Result<(Self, Vec<Action>, Vec<Ticket>)> {
        let tau2 = project::tau2()?;
        let mut command = Command::new(tau2.join("bin/python"));
        command.arg(project::script()).arg(tau2.join("tau2")).arg(project::graph_file(&tau2)?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the environment")?;
        let questions = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().context("standard output is a pipe")?);
        let graph: Graph = read(&mut answers)?;
        let telecom = Self {
            child,
            questions,
            answers,
            statements: graph.statements,
            states: graph.states,
            next: graph.next.into_iter().map(|(state, action, next)| ((state, action), next)).collect(),
        };
        Ok((telecom, graph.actions, graph.tickets))
    }

    /// The state after an action.
    pub(super) fn step(&mut self, state: usize, action: usize) -> anyhow::Result<usize> {
        if let Some(next) = self.next.get(&(state, action)) {
            return Ok(*next);
        }
        let questions = self.questions.as_mut().context("the environment has ended")?;
        writeln!(questions, "{state} {action}")?;
        questions.flush()?;
        let answer: Answer = read(&mut self.answers)?;
        self.states.extend(answer.states);
        self.statements.extend(answer.statements);
        ensure!(answer.next < self.states.len(), "the environment names the unknown state {}", answer.next);
        self.next.insert((state, action), answer.next);
        Ok(answer.next)
    }

    /// What the checks show in a state that they do not show for a phone without a problem.
    pub(super) fn unusual(&self, state: usize, abroad: bool) -> Vec<String> {
        let usual = &self.states[HEALTHY].lines;
        let lines = self.states[state].lines.iter();
        let mut unusual: Vec<String> =
            lines.filter(|line| !usual.contains(line)).map(|line| self.statements[*line].clone()).collect();
        if abroad && self.shows(state, NO_ROAMING) {
            unusual.push(NO_ROAMING.to_owned());
        }
        unusual
    }

    /// Whether a check shows this line.
    pub(super) fn shows(&self, state: usize, statement: &str) -> bool {
        self.states[state].lines.iter().any(|line| self.statements[*line] == statement)
    }

    /// The official reward: all checks of the ticket, and its actions where they are part of the reward.
    pub(super) fn passes(&self, ticket: &Ticket, state: usize, taken: &[usize]) -> bool {
        let checks = &self.states[state].checks;
        ticket.checks.iter().all(|check| checks[*check])
            && (!ticket.needs_gold || ticket.gold.iter().all(|action| taken.contains(action)))
    }
}

impl Drop for Telecom {
    fn drop(&mut self) {
        // The child ends when its input ends.
        drop(self.questions.take());
        if let Err(error) = self.child.wait() {
            eprintln!("the environment did not end: {error}");
        }
    }
}

fn read<T: for<'a> Deserialize<'a>>(answers: &mut BufReader<ChildStdout>) -> anyhow::Result<T> {
    let mut line = String::new();
    answers.read_line(&mut line)?;
    ensure!(!line.is_empty(), "the environment ended; its error is above");
    serde_json::from_str(&line).context("the environment gave an answer that cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_read_as_the_script_writes_it() {
        let text = r#"{"actions":[{"name":"reboot","text":"reboot. Restarts"}],"tickets":[{"head":"No data.","abroad":true,
            "goal":"Fast","start":1,"gold":[0],"checks":[0],"needs_gold":true,"base":false}],"statements":["Slow"],
            "states":[{"signature":"a","origin":[],"lines":[],"checks":[true]},
                      {"signature":"b","origin":[0],"lines":[0],"checks":[false]}],"next":[[1,0,0]]}"#;

        let graph: Graph = serde_json::from_str(text).unwrap();

        assert_eq!(graph.next, [(1, 0, 0)]);
        assert_eq!((graph.states[1].lines[0], graph.tickets[0].start), (0, 1));
    }
}
