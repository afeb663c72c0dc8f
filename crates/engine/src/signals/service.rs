//! Receiving signals and votes, and issuing feedback tokens.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reflect_store::{
    Claim, NewSignal, NewVote, ReceivedSignal, SignalSender, SignalState, Store, StoreError,
};
use reflect_types::{Scope, SignalId, SignalSettings, SignalSource, TraceId};

use super::request::{FeedbackVote, SubmittedSignal};
use super::standings::SourceAgreements;
use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::error::EngineError;
use crate::events::EventBus;
use crate::feedback_tokens::{FeedbackGrant, FeedbackTokenError, FeedbackTokens, OpenedToken};
use crate::project_cache::{self, ProjectCache};
use crate::run_sample;
use crate::votes::VoteLimits;

/// The most signals in one batch.
pub(crate) const MOST_SIGNALS: usize = 100;
/// How long a feedback token lives unless its issuer says otherwise.
const USUAL_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const SHORTEST_LIFE: Duration = Duration::from_secs(60);
const LONGEST_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A feedback token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// Its text.
    pub token: String,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Receives signals and turns them into reviews.
#[derive(Debug, Clone)]
pub struct Signals {
    pub(super) store: Store,
    pub(super) projects: ProjectCache,
    redaction: Redaction,
    pub(super) votes: VoteLimits,
    tokens: FeedbackTokens,
    pub(super) agreements: SourceAgreements,
    pub(super) events: EventBus,
}

impl Signals {
    pub(crate) fn new(
        store: Store,
        projects: ProjectCache,
        redaction: Redaction,
        votes: VoteLimits,
        tokens: FeedbackTokens,
        events: EventBus,
    ) -> Self {
        let agreements = SourceAgreements::new();
        Self { store, projects, redaction, votes, tokens, agreements, events }
    }

    /// Stores signals, with a result for each. They become reviews later. A repeated call, and a signal with an idempotency key
    /// that was used before, change nothing.
    pub async fn accept(
        &self,
        visitor: &Visitor,
        signals: Vec<SubmittedSignal>,
        claim: Option<&Claim>,
    ) -> Result<Vec<Result<ReceivedSignal, EngineError>>, EngineError> {
        if signals.len() > MOST_SIGNALS {
            let problem = format!("has {} entries, at most {MOST_SIGNALS} are accepted", signals.len());
            return Err(EngineError::invalid("signals", problem));
        }
        let now = DateTime::<Utc>::from(SystemTime::now());
        let sender = SignalSender { key_id: visitor.key_id, trust: visitor.trust };
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let (mut good, mut refused) = (Vec::with_capacity(signals.len()), Vec::with_capacity(signals.len()));
        for signal in signals {
            let prepared = signal.prepare(&mut redactor, sender, now);
            let (signal, refusal) =
                prepared.map_or_else(|error| (None, Some(error)), |signal| (Some(signal), None));
            good.push(signal);
            refused.push(refusal);
        }
        redactor.finish();
        let facts = self.projects.settings_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).signals;
        let received = self
            .store
            .project(visitor.project)
            .judgements()
            .signals()
            .accept(&good, sender, settings.matching, &blind(&settings), !facts.has_signals, claim)
            .await?;
        if !facts.has_signals {
            self.projects.invalidate_settings(visitor.project).await;
        }
        if !received.replayed {
            count(&good, &received.answer);
        }
        // A signal that was stored by an earlier call with this key stays stored, even if it would be refused today.
        let outcomes = received.answer.into_iter().zip(refused);
        let outcomes = outcomes.map(|(signal, refusal)| match signal {
            Some(signal) => accepted(signal),
            None => Err(refusal.unwrap_or_else(refused_before)),
        });
        Ok(outcomes.collect())
    }

    /// Issues a feedback token for a run, which may not have arrived yet.
    pub async fn issue_token(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        life: Option<Duration>,
    ) -> Result<IssuedToken, EngineError> {
        let life = life.unwrap_or(USUAL_LIFE);
        if !(SHORTEST_LIFE..=LONGEST_LIFE).contains(&life) {
            let problem = format!("must be from {} to {}", SHORTEST_LIFE.as_secs(), LONGEST_LIFE.as_secs());
            return Err(EngineError::invalid("expires_in_seconds", problem));
        }
        let expires_at = DateTime::<Utc>::from(SystemTime::now() + life);
        let grant = FeedbackGrant {
            project: visitor.project,
            trace,
            key_id: visitor.key_id,
            trust: visitor.trust,
            may_review: [Scope::ReviewWrite, Scope::SignalWrite]
                .into_iter()
                .any(|scope| visitor.may(scope).is_ok()),
            expires_at: u64::try_from(expires_at.timestamp()).unwrap_or_default(),
        };
        Ok(IssuedToken { token: self.tokens.issue(grant).await?, expires_at })
    }

    /// Checks a feedback token, without the database.
    pub async fn open_token(&self, token: &str) -> Result<OpenedToken, EngineError> {
        Ok(self.tokens.open(token, SystemTime::now()).await?)
    }

    /// Stores the vote of a feedback token. A later vote of the token replaces it.
    pub async fn vote(&self, opened: OpenedToken, vote: FeedbackVote) -> Result<(), EngineError> {
        let FeedbackGrant { project, trace, key_id, trust, may_review, .. } = opened.grant;
        let mut redactor = self.redaction.redactor(project).await?;
        let (report, comment) = vote.prepare(&mut redactor)?;
        redactor.finish();
        let facts = self.projects.settings_facts(project).await?;
        let settings = project_cache::settings(&facts.settings).signals;
        let (signal_id, source) = (SignalId::generate(), SignalSource::user());
        let (token, bounded) = (opened.digest, !may_review);
        let vote = NewVote { signal_id, source, trace, report, comment, token, bounded };
        let sender = SignalSender { key_id, trust };
        let signals = self.store.project(project);
        let signals = signals.judgements().signals();
        let state = signals.vote(&vote, sender, &blind(&settings), !facts.has_signals).await?;
        if !facts.has_signals {
            self.projects.invalidate_settings(project).await;
        }
        metrics::counter!("reflect_signals_total", "source" => "user", "result" => label(state)).increment(1);
        self.events.publish(project, "signals", None);
        match state {
            SignalState::Matched | SignalState::Waiting | SignalState::KeyReused => Ok(()),
            SignalState::Erased => Err(StoreError::NotFound { what: "trace" }.into()),
            SignalState::Revoked => Err(FeedbackTokenError::Revoked.into()),
            SignalState::UsedUp => Err(FeedbackTokenError::UsedUp.into()),
        }
    }
}

/// Whether the signals about a run are withheld.
pub(super) fn blind(settings: &SignalSettings) -> impl Fn(TraceId) -> bool + Sync + use<> {
    let share = settings.blind_share;
    move |trace| run_sample::is_blind(trace, share)
}

fn accepted(signal: ReceivedSignal) -> Result<ReceivedSignal, EngineError> {
    match signal.state {
        SignalState::Matched | SignalState::Waiting => Ok(signal),
        SignalState::Erased | SignalState::Revoked | SignalState::UsedUp => {
            Err(StoreError::NotFound { what: "trace" }.into())
        }
        SignalState::KeyReused => Err(StoreError::KeyReused.into()),
    }
}

fn refused_before() -> EngineError {
    let problem = "was refused by an earlier request with this Idempotency-Key; send it with another one";
    EngineError::invalid("signals", problem)
}

fn count(sent: &[Option<NewSignal>], received: &[Option<ReceivedSignal>]) {
    for (signal, received) in sent.iter().flatten().zip(received.iter().flatten()) {
        let (source, result) = (signal.source.metric_label(), label(received.state));
        metrics::counter!("reflect_signals_total", "source" => source, "result" => result).increment(1);
    }
}

const fn label(state: SignalState) -> &'static str {
    match state {
        SignalState::Matched => "matched",
        SignalState::Waiting => "waiting",
        SignalState::Erased => "erased",
        SignalState::KeyReused => "key_reused",
        SignalState::Revoked => "revoked",
        SignalState::UsedUp => "used_up",
    }
}
