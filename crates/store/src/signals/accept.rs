//! Storing signals and votes.

use std::collections::HashSet;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{
    CrashPoint, KeyId, SignalId, SignalMatching, SignalReport, SignalSource, TraceId, Trust,
};
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

/// How often the vote of a feedback token may change. Each change may cost the call of a model.
const MOST_CHANGES: i16 = 5;

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
    /// Tells it from a repeated one, if it has an idempotency key.
    pub once: Option<SignalOnce>,
}

/// What tells a repeated signal from a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalOnce {
    /// The digest of the idempotency key.
    pub key: [u8; 32],
    /// The digest of everything else that was sent.
    pub content: [u8; 32],
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
    /// Whether the issuer of the token may not review: the vote is only about its own runs, and moves only memories that it
    /// received.
    pub bounded: bool,
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
    /// The key that issued its feedback token was revoked. It is not stored.
    Revoked,
    /// The vote of its feedback token has changed too often. It is not stored.
    UsedUp,
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

/// What is stored for the vote of a token.
#[derive(sqlx::FromRow)]
struct Voted {
    signal_id: Option<SignalId>,
    changes: i16,
    is_revoked: bool,
}

impl SignalStore<'_> {
    /// Stores signals and matches them with runs, with a result for each. The result is `None` for a gap. A repeated call, and a
    /// signal whose idempotency key was used before, store nothing again. `first`: the project may not have had a signal before.
    pub async fn accept(
        &self,
        sent: &[Option<NewSignal>],
        sender: SignalSender,
        matching: SignalMatching,
        is_blind: IsBlind<'_>,
        first: bool,
        claim: Option<&Claim>,
    ) -> Result<Replay<Vec<Option<ReceivedSignal>>>, StoreError> {
        let mut transaction = self.db.point_write().await?;
        if let Some(answer) = idempotency::claim(&mut transaction, claim, None).await? {
            return transaction.repeat(Replay { answer, replayed: true }).await;
        }
        let signals: Vec<&NewSignal> = sent.iter().flatten().collect();
        if signals.is_empty() {
            // The claim is given up: a signal that is refused now, for example because it is early, may be sent again.
            return Ok(Replay::fresh(vec![None; sent.len()]));
        }
        let new = insert(&mut transaction, &signals, sender, matching).await?;
        let mut settled = settle(&mut transaction, &new, is_blind, first).await?;
        let earlier = earlier(&mut transaction, &signals, &new).await?;
        let repeated = earlier.iter().map(|before| before.signal_id).filter(|id| !new.contains(id));
        let repeated: Vec<SignalId> = repeated.collect();
        settled.found.extend(matching::matches(&mut transaction, &repeated).await?);
        let of = |signal: &Option<NewSignal>| Some(received(signal.as_ref()?, &new, &earlier, &settled));
        let answer: Vec<Option<ReceivedSignal>> = sent.iter().map(of).collect();
        idempotency::save_answer(&mut transaction, claim, &answer).await?;
        transaction.commit_at(CrashPoint::SignalAccept).await?;
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
        // The first two votes of a token may be stored at the same time. The second one then replaces the other.
        match self.vote_once(vote, sender, is_blind, first).await? {
            Some(state) => Ok(state),
            None => self.vote_once(vote, sender, is_blind, first).await?.ok_or(StoreError::Conflict {
                what: "other votes with this token arrived at the same time; send this one again",
            }),
        }
    }

    /// `None` if another vote of the token was stored at the same time.
    async fn vote_once(
        &self,
        vote: &NewVote,
        sender: SignalSender,
        is_blind: IsBlind<'_>,
        first: bool,
    ) -> Result<Option<SignalState>, StoreError> {
        let mut transaction = self.db.point_write().await?;
        let voted: Voted = sqlx::query_as(include_str!("../../sql/signals/voted.sql"))
            .bind(self.db.project)
            .bind(vote.token.as_slice())
            .bind(sender.key_id)
            .fetch_one(&mut *transaction)
            .await?;
        if voted.is_revoked {
            return Ok(Some(SignalState::Revoked));
        }
        if voted.signal_id.is_some() && voted.changes >= MOST_CHANGES {
            return Ok(Some(SignalState::UsedUp));
        }
        // A replaced vote keeps its id, which is part of the encryption of its comment.
        let id = voted.signal_id.unwrap_or(vote.signal_id);
        if store_vote(&mut transaction, id, vote, sender).await? != id {
            return Ok(None);
        }
        let mut again: Vec<TraceId> = Vec::new();
        if voted.signal_id.is_some() {
            let changed = sqlx::query_scalar(include_str!("../../sql/signals/rematch.sql"));
            again = changed.bind(self.db.project).bind(id).fetch_all(&mut *transaction).await?;
            jobs::enqueue_resolving(&mut transaction, &again, Duration::ZERO).await?;
        }
        let state = match again.is_empty() {
            true => settle(&mut transaction, &HashSet::from([id]), is_blind, first).await?.state(id),
            false => SignalState::Matched,
        };
        transaction.commit().await?;
        Ok(Some(state))
    }
}

/// Returns the id of the signal that has the vote of the token.
async fn store_vote(
    transaction: &mut ProjectTx,
    id: SignalId,
    vote: &NewVote,
    sender: SignalSender,
) -> Result<SignalId, StoreError> {
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
        .bind(vote.bounded)
        .bind(vote.token.as_slice())
        .fetch_optional(&mut **transaction)
        .await?;
    stored.ok_or(StoreError::NotFound { what: "project" })
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
    let found = matching::match_signals(transaction, &ids, |trace| Some(is_blind(trace))).await?;
    let has_run = |id: &SignalId| found.iter().any(|(matched, _)| matched == id);
    let unmatched: Vec<SignalId> = ids.into_iter().filter(|id| !has_run(id)).collect();
    let erased = matching::remove_erased(transaction, &unmatched).await?;
    let waiting: Vec<SignalId> = unmatched.into_iter().filter(|id| !erased.contains(id)).collect();
    if !waiting.is_empty() {
        jobs::enqueue_matching(transaction, &waiting).await?;
    }
    if first && !new.is_empty() {
        let marked = sqlx::query(include_str!("../../sql/signals/mark_project.sql"));
        marked.bind(transaction.project).execute(&mut **transaction).await?;
    }
    Ok(Settled { found, erased })
}

/// A signal that was stored under an idempotency key before.
#[derive(sqlx::FromRow)]
struct Earlier {
    once: Vec<u8>,
    signal_id: SignalId,
    content_digest: Option<Vec<u8>>,
}

/// The signals that were stored under the idempotency keys of those that are not new.
async fn earlier(
    transaction: &mut ProjectTx,
    signals: &[&NewSignal],
    new: &HashSet<SignalId>,
) -> Result<Vec<Earlier>, StoreError> {
    let repeated = signals.iter().filter(|signal| !new.contains(&signal.signal_id));
    let keys: Vec<&[u8]> =
        repeated.filter_map(|signal| signal.once.as_ref().map(|once| once.key.as_slice())).collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let found = sqlx::query_as(include_str!("../../sql/signals/earlier.sql"));
    Ok(found.bind(transaction.project).bind(keys).fetch_all(&mut **transaction).await?)
}

fn received(
    signal: &NewSignal,
    new: &HashSet<SignalId>,
    earlier: &[Earlier],
    settled: &Settled,
) -> ReceivedSignal {
    let id = signal.signal_id;
    if new.contains(&id) {
        return ReceivedSignal { signal_id: id, state: settled.state(id), traces: settled.traces(id) };
    }
    let first = signal.once.and_then(|once| {
        let before = earlier.iter().find(|before| before.once == once.key)?;
        (before.content_digest.as_deref() == Some(once.content.as_slice())).then_some(before.signal_id)
    });
    match first {
        Some(first) => {
            ReceivedSignal { signal_id: first, state: settled.state(first), traces: settled.traces(first) }
        }
        None => ReceivedSignal { signal_id: id, state: SignalState::KeyReused, traces: Vec::new() },
    }
}

/// Returns the ids of the signals that were stored.
async fn insert(
    transaction: &mut ProjectTx,
    signals: &[&NewSignal],
    sender: SignalSender,
    matching: SignalMatching,
) -> Result<HashSet<SignalId>, StoreError> {
    fn all<'a, T>(signals: &[&'a NewSignal], part: impl Fn(&'a NewSignal) -> T) -> Vec<T> {
        signals.iter().map(|signal| part(signal)).collect()
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
        .bind(all(signals, |signal| signal.once.as_ref().map(|once| once.key.as_slice())))
        .bind(all(signals, |signal| signal.once.as_ref().map(|once| once.content.as_slice())))
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
