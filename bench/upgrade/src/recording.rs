//! What the servers of a release send to Postgres: the messages of all their sessions, as they were recorded while clients
//! used each part of the interface.
//!
//! Replayed with new ids, it is the load of that release without its binary.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::wire::{self, Message, Parsed};

/// Ids of types from here on belong to a database, such as that of `halfvec`.
pub(crate) const FIRST_OWN_TYPE: u32 = 16_384;

/// The schema of the queue of release 0.1.0. Its rows begin with the id of a job.
pub(crate) const QUEUE: &str = "reflect_jobs";

/// All sessions of a server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Recording {
    /// The names of types by their ids in the recorded database.
    pub(crate) types: BTreeMap<u32, String>,
    /// The parameters of the start messages.
    pub(crate) sessions: Vec<Vec<(String, String)>>,
    /// Ids that were created during the recording. They are new in every replay.
    pub(crate) ids: Vec<Uuid>,
    /// In the order in which they ended.
    pub(crate) exchanges: Vec<Exchange>,
}

/// Messages of one session up to the server's readiness for more.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) session: usize,
    /// Whether it belongs to the first round of calls, which is replayed once per set of sessions, or to the second one, which
    /// is replayed again and again.
    pub(crate) repeated: bool,
    pub(crate) sent: Vec<Sent>,
    /// The first numbers of the returned rows, if they are ids of jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) jobs: Vec<i64>,
    /// Whether the answer was an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) failed: bool,
}

/// A message of the client. Statements are readable.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sent {
    /// A simple query.
    Query(String),
    /// Name, statement, and types of the parameters.
    Parse(String, String, Vec<u32>),
    /// Any other message: its type, and its body in Base64.
    Other(char, String),
}

impl From<&Message> for Sent {
    fn from(message: &Message) -> Self {
        match message.kind {
            wire::QUERY => Self::Query(message.text()),
            wire::PARSE => {
                let Parsed { name, statement, types } = message.parsed();
                Self::Parse(name, statement, types)
            }
            kind => Self::Other(kind.into(), STANDARD.encode(&message.body)),
        }
    }
}

impl Sent {
    pub(crate) fn message(&self) -> anyhow::Result<Message> {
        Ok(match self {
            Self::Query(statement) => Message::query(statement),
            Self::Parse(name, statement, types) => {
                Parsed { name: name.clone(), statement: statement.clone(), types: types.clone() }.message()
            }
            Self::Other(kind, body) => Message { kind: u8::try_from(*kind)?, body: STANDARD.decode(body)? },
        })
    }
}

impl Recording {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        Ok(serde_json::from_reader(BufReader::new(GzDecoder::new(file)))?)
    }

    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let file = BufWriter::new(File::create(path)?);
        let mut compressed = GzEncoder::new(file, Compression::best());
        serde_json::to_writer(&mut compressed, self)?;
        compressed.finish()?;
        Ok(())
    }

    /// The transactions that one round of the repeated part commits.
    pub(crate) fn commits(&self) -> usize {
        let repeated = self.exchanges.iter().filter(|exchange| exchange.repeated);
        repeated.flat_map(|exchange| &exchange.sent).filter(|sent| is_commit(sent)).count()
    }
}

fn is_commit(sent: &Sent) -> bool {
    matches!(sent, Sent::Query(statement) if statement.eq_ignore_ascii_case("commit"))
}
