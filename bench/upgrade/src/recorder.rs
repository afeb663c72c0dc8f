//! Records what a server sends to Postgres, through a proxy.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use crate::parameters::{self, Kind};
use crate::proxy::{Decision, Observer};
use crate::recording::{Exchange, FIRST_OWN_TYPE, QUEUE, Recording, Sent};
use crate::wire::{self, Message};

/// The observer of a server's sessions.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// Whether the calls of the repeated part have begun.
    pub(crate) repeated: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sessions: BTreeMap<usize, Vec<(String, String)>>,
    /// What each session has sent since its last complete exchange.
    open: HashMap<usize, Vec<Message>>,
    /// The complete exchanges without an answer.
    waiting: HashMap<usize, VecDeque<Exchange>>,
    ended: Vec<Exchange>,
}

impl Recorder {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything recorded until now. Ids that are in the dump are not new.
    pub(crate) async fn finish(&self, database_url: &str, dump: &str) -> anyhow::Result<Recording> {
        let (sessions, exchanges) = {
            let state = self.state();
            let last = state.sessions.keys().last().map_or(0, |last| last + 1);
            let sessions =
                (0..last).map(|number| state.sessions.get(&number).cloned().unwrap_or_default()).collect();
            (sessions, state.ended.clone())
        };
        let mut recording = Recording { types: BTreeMap::new(), sessions, ids: Vec::new(), exchanges };
        recording.types = types(database_url, &recording).await?;
        recording.ids = new_ids(&recording, dump)?;
        keep_jobs(&mut recording)?;
        Ok(recording)
    }
}

impl Observer for Recorder {
    fn begins(&self, session: usize, start: &[u8]) {
        self.state().sessions.insert(session, wire::start_parameters(start));
    }

    async fn sent(&self, session: usize, message: Message) -> Decision {
        let mut state = self.state();
        if message.kind != wire::TERMINATE {
            state.open.entry(session).or_default().push(message.clone());
        }
        if matches!(message.kind, wire::QUERY | wire::SYNC) {
            let sent = state.open.remove(&session).unwrap_or_default().iter().map(Sent::from).collect();
            let repeated = self.repeated.load(Ordering::Relaxed);
            let exchange = Exchange { session, repeated, sent, ..Exchange::default() };
            state.waiting.entry(session).or_default().push_back(exchange);
        }
        Decision::Send(message)
    }

    fn received(&self, session: usize, message: &Message) {
        let mut state = self.state();
        let State { waiting, ended, .. } = &mut *state;
        let Some(exchange) = waiting.get_mut(&session).and_then(VecDeque::front_mut) else { return };
        match message.kind {
            wire::ERROR => exchange.failed = true,
            // Filtered at the end, when the statement of each exchange is known.
            wire::DATA_ROW => exchange.jobs.extend(message.first_number()),
            wire::READY => ended.extend(waiting.get_mut(&session).and_then(VecDeque::pop_front)),
            _ => {}
        }
    }
}

/// The names of the types that belong to the database.
async fn types(database_url: &str, recording: &Recording) -> anyhow::Result<BTreeMap<u32, String>> {
    let sent = recording.exchanges.iter().flat_map(|exchange| &exchange.sent);
    let used: BTreeSet<u32> = sent
        .flat_map(|sent| if let Sent::Parse(_, _, types) = sent { types.as_slice() } else { &[] })
        .copied()
        .filter(|kind| *kind >= FIRST_OWN_TYPE)
        .collect();
    let used: Vec<i64> = used.into_iter().map(i64::from).collect();
    let mut connection = PgConnection::connect(database_url).await?;
    let names: Vec<(i64, String)> =
        sqlx::query_as("select oid::bigint, typname::text from pg_type where oid::bigint = any($1)")
            .bind(used)
            .fetch_all(&mut connection)
            .await?;
    names.into_iter().map(|(kind, name)| Ok((u32::try_from(kind)?, name))).collect()
}

/// The ids in parameters that are not in the dump.
fn new_ids(recording: &Recording, dump: &str) -> anyhow::Result<Vec<Uuid>> {
    let mut found = BTreeSet::new();
    for (message, parameters) in parameters::of_recording(recording)?.into_iter().flatten() {
        for parameter in parameters {
            if let Kind::Id | Kind::IdText = parameter.kind {
                found.insert(parameter.id(&message));
            }
        }
    }
    Ok(found.into_iter().filter(|id| !id.is_nil() && !dump.contains(&id.to_string())).collect())
}

/// Keeps the first numbers of rows only where they are ids of jobs.
fn keep_jobs(recording: &mut Recording) -> anyhow::Result<()> {
    let statements = parameters::statements_of(recording)?;
    for (exchange, statements) in recording.exchanges.iter_mut().zip(statements) {
        if !statements.iter().any(|statement| statement.contains(QUEUE)) {
            exchange.jobs.clear();
        }
    }
    Ok(())
}
