//! Storing signals and votes.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{KeyId, SignalId, SignalMatching, SignalReport, SignalSource, TraceId, Trust};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::types::Json;

use super::matching::{self, IsBlind};
use super::{SignalStore, SignalSubject, columns};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::idempotency::{self, Claim, Replay};
use crate::jobs;
use crate::sealing::SealedColumn;

/// A transaction that stores a run and does not see a signal of the same moment has ended after this time: its statements are
/// limited to 10 seconds each. Processes then also know that the project has signals.
const UNSEEN_FOR: Duration = Duration::from_secs(60);

/// A signal to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSignal {
    /// Its id.
    pub signal_id: SignalId,
    /// The system that it comes from.
    pub source: SignalSource,
    /// What it is about.
    pub subject: SignalSubject,
    /// What it reports.
    pub report: SignalReport,
    /// When that happened.
    pub occurred_at: DateTime<Utc>,
    /// A comment.
    pub comment: Option<String>,
    /// Where to read more.
    pub url: Option<String>,
    /// As sent.
    pub metadata: Option<Value>,
    /// The digests of its idempotency key and of its content, if it has such a key.
    pub once: Option<([u8; 32], [u8; 32])>,
}

/// The vote of a feedback token.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVote {
    /// The id of the signal, if it is the first vote of the token.
    pub signal_id: SignalId,
    /// The source.
    pub source: SignalSource,
    /// The run.
    pub trace: TraceId,
    /// What it reports.
    pub report: SignalReport,
    /// A comment.
    pub comment: Option<String>,
    /// The digest of the token.
    pub token: [u8; 32],
}

/// Who sends a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalSender {
    /// The key.
    pub key_id: KeyId,
    /// Its trust.
    pub trust: Trust,
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignalState {
    /// It is about stored runs.
    Matched,
    /// It waits for a run.
    Waiting,
    /// The run that it is about was deleted. It is not stored.
    Erased,
    /// Its idempotency key was used for another signal. It is not stored.
    KeyReused,
}

/// A received signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedSignal {
    /// Its id. For a repeated one, that of the first.
    pub signal_id: SignalId,
    /// What became of it.
    pub state: SignalState,
    /// The runs that it is about, newest first.
    pub traces: Vec<TraceId>,
}

impl SignalStore<'_> {
    /// Stores signals and matches them with runs, with a result for each. A repeated call, and a signal whose idempotency key
    /// was used before, store nothing again. `first`: the project may not have had a signal before.
    pub async fn accept(
        &self,
        signals: &[NewSignal],
        sender: SignalSender,
        matching: SignalMatching,
        is_blind: IsBlind<'_>,
        first: bool,
        claim: Option<&Claim>,
    ) -> Result<Replay<Vec<ReceivedSignal>>, StoreError> {
        let mut transaction = self.db.point_write().await?;
        if let Some(answer) = idempotency::claim(&mut transaction, claim, None).await? {
            return Ok(Replay { answer, replayed: true });
        }
        let new = insert(&mut transaction, signals, sender, matching).await?;
        let mut traces = settle(&mut transaction, &new, is_blind, first).await?;
        let earlier = earlier(&mut transaction, signals, &new).await?;
        let repeated = earlier.values().map(|(id, _)| *id).filter(|id| !new.contains(id));
        let repeated: Vec<SignalId> = repeated.collect();
        traces.found.extend(matching::matches(&mut transaction, &repeated).await?);
        let answer: Vec<ReceivedSignal> =
            signals.iter().map(|signal| received(signal, &new, &earlier, &traces)).collect();
        idempotency::save_answer(&mut transaction, claim, &answer).await?;
        transaction.commit().await?;
        Ok(Replay::fresh(answer))
    }

    /// Stores the vote of a feedback token. A later vote of the same token replaces it.
    pub async fn vote(
        &self,
        vote: &NewVote,
        sender: SignalSender,
        is_blind: IsBlind<'_>,
        first: bool,
    ) -> Result<SignalState, StoreError> {
        let mut transaction = self.db.point_write().await?;
        let earlier: Option<SignalId> = sqlx::query_scalar(include_str!("../../sql/signals/voted.sql"))
            .bind(self.db.project)
            .bind(vote.token.as_slice())
            .fetch_optional(&mut *transaction)
            .await?;
        // A replaced vote keeps its id, which is part of the encryption of its comment.
        let id = earlier.unwrap_or(vote.signal_id);
        store_vote(&mut transaction, id, vote, sender).await?;
        let mut again: Vec<TraceId> = Vec::new();
        if earlier.is_some() {
            let changed = sqlx::query_scalar(include_str!("../../sql/signals/rematch.sql"));
            again = changed.bind(self.db.project).bind(id).fetch_all(&mut *transaction).await?;
            jobs::enqueue_resolving(&mut transaction, &again, Duration::ZERO).await?;
        }
        let state = match again.is_empty() {
            true => settle(&mut transaction, &HashSet::from([id]), is_blind, first).await?.state(id),
            false => SignalState::Matched,
        };
        transaction.commit().await?;
        Ok(state)
    }

    /// Matches a signal that was stored without a run. Returns whether it is about a run now.
    pub async fn match_waiting(&self, signal: SignalId, is_blind: IsBlind<'_>) -> Result<bool, StoreError> {
        let mut transaction = self.db.point_write().await?;
        let matched = matching::match_signals(&mut transaction, &[signal], is_blind).await?;
        transaction.commit().await?;
        Ok(!matched.is_empty())
    }
}

async fn store_vote(
    transaction: &mut ProjectTx,
    id: SignalId,
    vote: &NewVote,
    sender: SignalSender,
) -> Result<(), StoreError> {
    let (passed, score) = columns(vote.report);
    let place = SealedColumn::SignalComment.of(id.as_uuid());
    let comment = vote.comment.as_deref();
    let comment = comment.map(|text| transaction.sealer.seal_text(place, text)).transpose()?;
    let stored: Option<SignalId> = sqlx::query_scalar(include_str!("../../sql/signals/vote.sql"))
        .bind(transaction.project)
        .bind(id)
        .bind(vote.source.as_str())
        .bind(vote.trace)
        .bind(passed)
        .bind(score)
        .bind(comment.as_deref())
        .bind(sender.key_id)
        .bind(sender.trust.code())
        .bind(vote.token.as_slice())
        .fetch_optional(&mut **transaction)
        .await?;
    match stored {
        Some(stored) if stored == id => Ok(()),
        Some(_) => Err(StoreError::Conflict {
            what: "another vote with this token arrived at the same time; send this one again",
        }),
        None => Err(StoreError::NotFound { what: "project" }),
    }
}

/// What became of new signals.
struct Settled {
    found: Vec<(SignalId, TraceId)>,
    erased: HashSet<SignalId>,
}

impl Settled {
    fn traces(&self, signal: SignalId) -> Vec<TraceId> {
        self.found.iter().filter(|(id, _)| *id == signal).map(|(_, trace)| *trace).collect()
    }

    fn state(&self, signal: SignalId) -> SignalState {
        if self.erased.contains(&signal) {
            SignalState::Erased
        } else if self.found.iter().any(|(id, _)| *id == signal) {
            SignalState::Matched
        } else {
            SignalState::Waiting
        }
    }
}

/// Matches new signals with runs. The others are looked at again, because a run may be stored at this moment.
async fn settle(
    transaction: &mut ProjectTx,
    new: &HashSet<SignalId>,
    is_blind: IsBlind<'_>,
    first: bool,
) -> Result<Settled, StoreError> {
    let ids: Vec<SignalId> = new.iter().copied().collect();
    let found = matching::match_signals(transaction, &ids, is_blind).await?;
    let mut settled = Settled { found, erased: HashSet::new() };
    let is_open = |settled: &Settled, id: &SignalId| settled.state(*id) == SignalState::Waiting;
    let unmatched: Vec<SignalId> = ids.iter().copied().filter(|id| is_open(&settled, id)).collect();
    if !unmatched.is_empty() {
        let erased = sqlx::query_scalar(include_str!("../../sql/signals/remove_erased.sql"));
        let erased = erased.bind(transaction.project).bind(&unmatched);
        settled
            .erased
            .extend(erased.fetch_all(&mut **transaction).await?.into_iter().collect::<Vec<SignalId>>());
    }
    let waiting: Vec<SignalId> = unmatched.into_iter().filter(|id| is_open(&settled, id)).collect();
    jobs::enqueue_matching(transaction, &waiting, UNSEEN_FOR).await?;
    if first {
        let marked = sqlx::query(include_str!("../../sql/signals/mark_project.sql"));
        marked.bind(transaction.project).execute(&mut **transaction).await?;
    }
    Ok(settled)
}

/// The signals that were stored under the idempotency keys of those that are not new: their ids, and whether they are equal.
async fn earlier(
    transaction: &mut ProjectTx,
    signals: &[NewSignal],
    new: &HashSet<SignalId>,
) -> Result<HashMap<[u8; 32], (SignalId, Vec<u8>)>, StoreError> {
    let repeated = signals.iter().filter(|signal| !new.contains(&signal.signal_id));
    let keys: Vec<&[u8]> =
        repeated.filter_map(|signal| signal.once.as_ref().map(|(key, _)| key.as_slice())).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Vec<u8>, SignalId, Option<Vec<u8>>)> =
        sqlx::query_as(include_str!("../../sql/signals/earlier.sql"))
            .bind(transaction.project)
            .bind(keys)
            .fetch_all(&mut **transaction)
            .await?;
    let known = rows.into_iter().filter_map(|(key, id, content)| {
        Some((<[u8; 32]>::try_from(key).ok()?, (id, content.unwrap_or_default())))
    });
    Ok(known.collect())
}

fn received(
    signal: &NewSignal,
    new: &HashSet<SignalId>,
    earlier: &HashMap<[u8; 32], (SignalId, Vec<u8>)>,
    settled: &Settled,
) -> ReceivedSignal {
    let id = signal.signal_id;
    if new.contains(&id) {
        return ReceivedSignal { signal_id: id, state: settled.state(id), traces: settled.traces(id) };
    }
    let found = signal.once.as_ref().and_then(|(key, content)| Some((earlier.get(key)?, content)));
    match found {
        Some(((first, stored), content)) if stored.as_slice() == content => {
            ReceivedSignal { signal_id: *first, state: settled.state(*first), traces: settled.traces(*first) }
        }
        _ => ReceivedSignal { signal_id: id, state: SignalState::KeyReused, traces: Vec::new() },
    }
}

/// Returns the ids of the signals that were stored.
async fn insert(
    transaction: &mut ProjectTx,
    signals: &[NewSignal],
    sender: SignalSender,
    matching: SignalMatching,
) -> Result<HashSet<SignalId>, StoreError> {
    fn all<'a, T>(signals: &'a [NewSignal], part: impl Fn(&'a NewSignal) -> T) -> Vec<T> {
        signals.iter().map(part).collect()
    }
    let key = |signal: &NewSignal| match &signal.subject {
        SignalSubject::Trace(_) => None,
        SignalSubject::Key { name, value } => Some((name.as_str().to_owned(), value.clone())),
    };
    let comments: Result<Vec<Option<String>>, StoreError> = signals
        .iter()
        .map(|signal| {
            let place = SealedColumn::SignalComment.of(signal.signal_id.as_uuid());
            let sealed = signal.comment.as_deref().map(|text| transaction.sealer.seal_text(place, text));
            Ok(sealed.transpose()?.map(std::borrow::Cow::into_owned))
        })
        .collect();
    let stored: Vec<SignalId> = sqlx::query_scalar(include_str!("../../sql/signals/insert.sql"))
        .bind(transaction.project)
        .bind(all(signals, |signal| signal.signal_id))
        .bind(all(signals, |signal| signal.source.as_str()))
        .bind(all(signals, |signal| match signal.subject {
            SignalSubject::Trace(trace) => Some(trace),
            SignalSubject::Key { .. } => None,
        }))
        .bind(all(signals, |signal| key(signal).map(|(name, _)| name)))
        .bind(all(signals, |signal| key(signal).map(|(_, value)| value)))
        .bind(all(signals, |signal| columns(signal.report).0))
        .bind(all(signals, |signal| columns(signal.report).1))
        .bind(all(signals, |signal| signal.occurred_at))
        .bind(comments?)
        .bind(all(signals, |signal| signal.url.as_deref()))
        .bind(all(signals, |signal| signal.metadata.as_ref().map(Json)))
        .bind(all(signals, |signal| signal.once.as_ref().map(|(key, _)| key.as_slice())))
        .bind(all(signals, |signal| signal.once.as_ref().map(|(_, content)| content.as_slice())))
        .bind(sender.key_id)
        .bind(sender.trust.code())
        .bind(all(signals, |signal| match signal.subject {
            SignalSubject::Trace(_) => 0,
            SignalSubject::Key { .. } => matching.code(),
        }))
        .fetch_all(&mut **transaction)
        .await?;
    Ok(stored.into_iter().collect())
}
