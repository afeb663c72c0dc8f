//! Replays a recording again and again, each time with new ids. An error that was not recorded is a failed request.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use sqlx::{Connection, PgConnection};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::parameters::{self, Kind, Place};
use crate::recording::{FIRST_OWN_TYPE, QUEUE, Recording};
use crate::wire::{self, Message};

/// Longer than any statement of a server may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a replay did.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Complete rounds.
    pub(crate) rounds: usize,
    pub(crate) exchanges: usize,
    /// Errors that were not recorded, with their statement.
    pub(crate) failures: Vec<String>,
}

/// Sessions that replay a recording until they are stopped.
pub(crate) struct Replay {
    stop: Arc<AtomicBool>,
    players: JoinSet<anyhow::Result<Done>>,
}

impl Replay {
    /// Starts so many players, each with all sessions of the recording. Waits until each has replayed the first part, which
    /// prepares statements.
    pub(crate) async fn start(
        recording: &Recording,
        (server, database, url): (u16, &str, &str),
        players: usize,
    ) -> anyhow::Result<Self> {
        let script = Arc::new(Script::new(recording, url).await?);
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for _ in 0..players {
            let mut player = Player::new(Arc::clone(&script), server, database);
            player.round(false).await?;
            let stop = Arc::clone(&stop);
            tasks.spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    player.round(true).await?;
                    player.done.rounds += 1;
                }
                Ok(player.done)
            });
        }
        Ok(Self { stop, players: tasks })
    }

    /// Ends after the present round of each player.
    pub(crate) async fn finish(mut self) -> anyhow::Result<Done> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Done::default();
        while let Some(player) = self.players.join_next().await {
            let done = player??;
            all.rounds += done.rounds;
            all.exchanges += done.exchanges;
            all.failures.extend(done.failures);
        }
        Ok(all)
    }
}

/// A recording with the ids of types of one database, and the places that change.
struct Script {
    sessions: Vec<Vec<(String, String)>>,
    ids: Vec<Uuid>,
    /// Those of them that only the repeated part has. They are new in every round.
    repeated_ids: Vec<Uuid>,
    exchanges: Vec<Prepared>,
}

struct Prepared {
    session: usize,
    repeated: bool,
    messages: Vec<(Message, Vec<Place>)>,
    jobs: Vec<i64>,
    is_of_queue: bool,
    failed: bool,
    /// For messages about a failure.
    statement: String,
}

impl Script {
    async fn new(recording: &Recording, url: &str) -> anyhow::Result<Self> {
        let types = own_types(recording, url).await?;
        let mut binds = parameters::of_recording(recording)?.into_iter();
        let mut statements = parameters::statements_of(recording)?.into_iter();
        let mut exchanges = Vec::new();
        for exchange in &recording.exchanges {
            let mut places = binds.next().unwrap_or_default().into_iter().map(|(_, places)| places);
            let mut messages = Vec::new();
            for sent in &exchange.sent {
                let mut message = sent.message()?;
                let places =
                    if message.kind == wire::BIND { places.next().unwrap_or_default() } else { Vec::new() };
                if message.kind == wire::PARSE {
                    let mut parsed = message.parsed();
                    parsed.types.iter_mut().for_each(|kind| *kind = *types.get(kind).unwrap_or(kind));
                    message = parsed.message();
                }
                messages.push((message, places));
            }
            let statement = statements.next().unwrap_or_default().join("; ");
            exchanges.push(Prepared {
                session: exchange.session,
                repeated: exchange.repeated,
                messages,
                jobs: exchange.jobs.clone(),
                is_of_queue: statement.contains(QUEUE),
                failed: exchange.failed,
                statement,
            });
        }
        let ids = recording.ids.clone();
        let first: HashSet<Uuid> = ids_in(exchanges.iter().filter(|exchange| !exchange.repeated));
        let repeated_ids = ids.iter().copied().filter(|id| !first.contains(id)).collect();
        Ok(Self { sessions: recording.sessions.clone(), ids, repeated_ids, exchanges })
    }
}

fn ids_in<'a>(exchanges: impl Iterator<Item = &'a Prepared>) -> HashSet<Uuid> {
    let messages = exchanges.flat_map(|exchange| &exchange.messages);
    let ids = messages.flat_map(|(message, places)| places.iter().map(|place| (message, place)));
    ids.filter(|(_, place)| place.kind != Kind::Number).map(|(message, place)| place.id(message)).collect()
}

/// The ids of the recorded types in this database.
async fn own_types(recording: &Recording, url: &str) -> anyhow::Result<BTreeMap<u32, u32>> {
    let mut connection = PgConnection::connect(url).await?;
    let mut found = BTreeMap::new();
    for (recorded, name) in &recording.types {
        let own: Option<i64> = sqlx::query_scalar("select oid::bigint from pg_type where typname = $1")
            .bind(name)
            .fetch_optional(&mut connection)
            .await?;
        let own = u32::try_from(own.with_context(|| format!("there is no type {name}"))?)?;
        debug_assert!(own >= FIRST_OWN_TYPE);
        found.insert(*recorded, own);
    }
    Ok(found)
}

/// One set of sessions.
struct Player {
    script: Arc<Script>,
    server: u16,
    database: String,
    sessions: HashMap<usize, Session>,
    /// The ids of this player, by the recorded ones.
    ids: HashMap<Uuid, Uuid>,
    done: Done,
}

/// A connection, and the names that are prepared in it.
struct Session {
    stream: TcpStream,
    prepared: HashSet<Vec<u8>>,
}

impl Player {
    fn new(script: Arc<Script>, server: u16, database: &str) -> Self {
        let ids = script.ids.iter().map(|id| (*id, Uuid::now_v7())).collect();
        let (sessions, done) = (HashMap::new(), Done::default());
        Self { script, server, database: database.to_owned(), sessions, ids, done }
    }

    /// Replays one part with new ids.
    async fn round(&mut self, repeated: bool) -> anyhow::Result<()> {
        let script = Arc::clone(&self.script);
        self.ids.extend(script.repeated_ids.iter().map(|id| (*id, Uuid::now_v7())));
        let (mut jobs, none) = (HashMap::new(), HashMap::new());
        for exchange in script.exchanges.iter().filter(|exchange| exchange.repeated == repeated) {
            let mut request = Vec::new();
            self.connect(exchange.session).await?;
            let Some(session) = self.sessions.get_mut(&exchange.session) else { bail!("no session") };
            for (message, places) in &exchange.messages {
                if session.needs(message) {
                    let jobs = if exchange.is_of_queue { &jobs } else { &none };
                    request.extend(changed(message, places, &self.ids, jobs).bytes());
                }
            }
            let answered = tokio::time::timeout(PATIENCE, session.exchange(&request)).await;
            let answer = answered.with_context(|| format!("no answer to {}", exchange.statement))??;
            self.done.exchanges += 1;
            jobs.extend(exchange.jobs.iter().copied().zip(answer.jobs));
            if let Some(error) = answer.error.filter(|_| !exchange.failed) {
                self.done.failures.push(format!("{error}: {}", exchange.statement));
            }
        }
        Ok(())
    }

    async fn connect(&mut self, number: usize) -> anyhow::Result<()> {
        if self.sessions.contains_key(&number) {
            return Ok(());
        }
        let mut parameters = self.script.sessions[number].clone();
        for (name, value) in &mut parameters {
            if name == "database" {
                value.clone_from(&self.database);
            }
        }
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.server)).await?;
        stream.set_nodelay(true)?;
        stream.write_all(&wire::start_message(&parameters)).await?;
        let mut session = Session { stream, prepared: HashSet::new() };
        if let Some(error) = session.answer().await?.error {
            bail!("no session: {error}");
        }
        self.sessions.insert(number, session);
        Ok(())
    }
}

/// What the server answered.
#[derive(Debug, Default)]
struct Answer {
    error: Option<String>,
    jobs: Vec<i64>,
}

impl Session {
    /// Whether a message must be sent. A statement that is prepared already must not be prepared again.
    fn needs(&mut self, message: &Message) -> bool {
        match message.kind {
            wire::PARSE => {
                let name = message.body.split(|byte| *byte == 0).next().unwrap_or_default();
                name.is_empty() || self.prepared.insert(name.to_vec())
            }
            wire::CLOSE => {
                let name = message.body.get(1..message.body.len().saturating_sub(1)).unwrap_or_default();
                message.body.first() != Some(&b'S') || self.prepared.remove(name)
            }
            _ => true,
        }
    }

    async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Answer> {
        self.stream.write_all(request).await?;
        self.answer().await
    }

    async fn answer(&mut self) -> anyhow::Result<Answer> {
        let mut answer = Answer::default();
        loop {
            let message = Message::read(&mut self.stream).await?;
            let message =
                message.with_context(|| format!("Postgres ended the session: {:?}", answer.error))?;
            match message.kind {
                wire::READY => return Ok(answer),
                wire::ERROR => {
                    answer.error =
                        Some(format!("{} ({})", message.error_field(b'M'), message.error_field(b'C')));
                }
                wire::DATA_ROW => answer.jobs.extend(message.first_number()),
                _ => {}
            }
        }
    }
}

/// The message with the ids of this round.
fn changed(
    message: &Message,
    places: &[Place],
    ids: &HashMap<Uuid, Uuid>,
    jobs: &HashMap<i64, i64>,
) -> Message {
    let mut changed = message.clone();
    for place in places {
        let body = &mut changed.body;
        match place.kind {
            Kind::Id => {
                if let Some(id) = ids.get(&place.id(message)) {
                    body[place.at..place.at + 16].copy_from_slice(id.as_bytes());
                }
            }
            Kind::IdText => {
                if let Some(id) = ids.get(&place.id(message)) {
                    body[place.at..place.at + 36].copy_from_slice(id.to_string().as_bytes());
                }
            }
            Kind::Number => {
                let recorded = body[place.at..].first_chunk().map(|bytes| i64::from_be_bytes(*bytes));
                if let Some(job) = recorded.and_then(|recorded| jobs.get(&recorded)) {
                    body[place.at..place.at + 8].copy_from_slice(&job.to_be_bytes());
                }
            }
        }
    }
    changed
}
