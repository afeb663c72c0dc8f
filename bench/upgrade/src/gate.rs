//! What stands between `reflect migrate` and its database: it pauses before each change, so that there is load between two of
//! them, says when the process must be killed, and makes the mutants.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;

use crate::migrations::Migrations;
use crate::proxy::{Decision, Observer};
use crate::wire::{self, Message};

/// How much of a statement names its place, if every statement is one.
const LABEL: usize = 70;
/// The same if each kind of statement is one place.
const SHORT_LABEL: usize = 26;
/// The last statement before the changes.
const LISTED: &str = "FROM _sqlx_migrations ORDER BY version";

/// What is different from a migration without interruption.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// The pause before each change.
    pub(crate) pause: Duration,
    /// Places at which a process was killed before. The process is killed at the first other one. `None`: it is not killed.
    pub(crate) killed_at: Option<BTreeSet<String>>,
    /// Kill before and at every statement, and not only at migrations, their commits, and one statement of each other kind.
    pub(crate) everywhere: bool,
    /// What is added to a migration: its number, and SQL.
    pub(crate) added: Option<(i64, String)>,
}

/// The observer of one process.
pub(crate) struct Gate {
    migrations: Migrations,
    plan: Plan,
    state: Mutex<State>,
    reached: mpsc::UnboundedSender<String>,
}

#[derive(Debug, Default)]
struct State {
    /// The statements that were prepared, by session and name.
    prepared: HashMap<(usize, String), String>,
    /// The statement of the last Bind message, by session.
    bound: HashMap<usize, String>,
    /// The last change, which names the commit after it.
    last: String,
    /// The server's processes of the sessions.
    processes: BTreeSet<u32>,
}

/// What a message does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// It runs this statement.
    Runs(String),
    /// It prepares, or asks for results.
    Other,
}

impl Gate {
    /// A gate, and the channel that names the place at which the process must be killed now.
    pub(crate) fn new(migrations: Migrations, plan: Plan) -> (Self, mpsc::UnboundedReceiver<String>) {
        let (reached, places) = mpsc::unbounded_channel();
        (Self { migrations, plan, state: Mutex::default(), reached }, places)
    }

    /// The server's processes that served the migrating process.
    pub(crate) fn processes(&self) -> BTreeSet<u32> {
        self.state().processes.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, session: usize, message: &Message) -> Step {
        let mut state = self.state();
        match message.kind {
            wire::QUERY => Step::Runs(message.text()),
            wire::PARSE => {
                let parsed = message.parsed();
                state.prepared.insert((session, parsed.name), parsed.statement);
                Step::Other
            }
            wire::BIND => {
                let statement = state.prepared.get(&(session, message.bound().statement)).cloned();
                state.bound.insert(session, statement.unwrap_or_default());
                Step::Other
            }
            wire::EXECUTE => Step::Runs(state.bound.get(&session).cloned().unwrap_or_default()),
            _ => Step::Other,
        }
    }

    /// The name of the place, if the statement is one.
    fn place(&self, statement: &str) -> Option<String> {
        let mut state = self.state();
        if let Some(version) = self.migrations.version_of(statement) {
            state.last = format!("migration {version:04}");
            return Some(state.last.clone());
        }
        if statement.eq_ignore_ascii_case("commit") {
            return Some(format!("{}, commit", state.last)).filter(|_| !state.last.is_empty());
        }
        if statement.contains(LISTED) && state.last.is_empty() {
            "start".clone_into(&mut state.last);
        }
        if state.last.is_empty() || is_bookkeeping(statement) {
            return None;
        }
        state.last = label(statement, if self.plan.everywhere { LABEL } else { SHORT_LABEL });
        Some(state.last.clone())
    }

    fn with_addition(&self, message: Message, statement: &str) -> Message {
        match &self.plan.added {
            Some((version, added)) if self.migrations.version_of(statement) == Some(*version) => {
                Message::query(&format!("{statement}\n;{added}"))
            }
            _ => message,
        }
    }
}

impl Observer for Gate {
    fn begins(&self, _: usize, _: &[u8]) {}

    async fn sent(&self, session: usize, message: Message) -> Decision {
        let Step::Runs(statement) = self.step(session, &message) else { return Decision::Send(message) };
        let Some(place) = self.place(&statement) else { return Decision::Send(message) };
        // A pause before a commit would hold the locks.
        if !place.ends_with(", commit") {
            tokio::time::sleep(self.plan.pause).await;
        }
        let message = self.with_addition(message, &statement);
        let Some(killed_at) = &self.plan.killed_at else { return Decision::Send(message) };
        let before = format!("before {place}");
        if self.plan.everywhere && !killed_at.contains(&before) {
            let _ = self.reached.send(before);
            return Decision::Hold;
        }
        if killed_at.contains(&place) {
            return Decision::Send(message);
        }
        let _ = self.reached.send(place);
        Decision::SendLast(message)
    }

    fn received(&self, _: usize, message: &Message) {
        if message.kind == wire::KEY_DATA {
            self.state().processes.extend(message.process());
        }
    }
}

/// Whether a statement neither reads nor changes the database's content.
fn is_bookkeeping(statement: &str) -> bool {
    let words = statement.trim_start().to_lowercase();
    words.is_empty()
        || ["begin", "set ", "rollback"].iter().any(|word| words.starts_with(word))
        || words.contains("_sqlx_migrations")
}

/// The first words of a statement, after its comment.
fn label(statement: &str, length: usize) -> String {
    let lines = statement.lines().filter(|line| !line.trim_start().starts_with("--"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").chars().take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_named_by_its_first_words_without_its_comment() {
        assert_eq!(label("-- Why.\nselect  1\nfrom t", 10), "select 1 f");
    }

    #[test]
    fn beginnings_and_settings_change_nothing() {
        assert!(is_bookkeeping("BEGIN"));
        assert!(is_bookkeeping("set lock_timeout = 100"));
        assert!(!is_bookkeeping("create index concurrently a on b (c)"));
    }
}
