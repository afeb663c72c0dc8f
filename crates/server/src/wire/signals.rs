//! Signals, their sources, and feedback tokens.

use chrono::DateTime;
use reflect_api::{
    AcceptedSignal, FeedbackToken, RunKey, SendFeedback, SendSignal, SignalMeaning, SignalSources,
    SignalStatus, SignalWeek, SignalsOfTrace, SourceValue, TraceSignal,
};
use reflect_engine::{
    FeedbackVote, IssuedToken, ShownSignal, SignalStanding, SourceReport, SourcesReport, SubmittedSignal,
    TraceSignals,
};
use reflect_store::{ReceivedSignal, SignalState};
use reflect_types::{SignalReport, TraceId};

use super::judge::{agreement, count};

pub(crate) fn submitted_signal(request: SendSignal) -> SubmittedSignal {
    SubmittedSignal {
        source: request.source,
        trace: request.trace_id.map(|id| id.parse().ok()),
        key: request.key.map(|key| (key.name, key.value)),
        outcome: request.outcome,
        score: request.score,
        occurred_at: request.occurred_at,
        idempotency_key: request.idempotency_key,
        comment: request.comment,
        url: request.url,
        metadata: request.metadata.unwrap_or_default(),
    }
}

pub(crate) fn accepted_signal(signal: ReceivedSignal) -> AcceptedSignal {
    let status = match signal.state {
        SignalState::Matched => SignalStatus::Matched,
        _ => SignalStatus::Waiting,
    };
    AcceptedSignal { id: signal.signal_id, status, trace_ids: signal.traces }
}

pub(crate) fn signals_of_trace(found: TraceSignals) -> SignalsOfTrace {
    let TraceSignals { signals, withheld, again_at } = found;
    let signals = signals.into_iter().map(signal).collect();
    SignalsOfTrace { signals, withheld: withheld as u64, again_at }
}

fn signal(shown: ShownSignal) -> TraceSignal {
    let ShownSignal { row, result, standing } = shown;
    let (outcome, score) = match row.report {
        SignalReport::Outcome(outcome) => (Some(outcome), None),
        SignalReport::Score(score) => (None, Some(score)),
    };
    let (meaning, waits_until) = match standing {
        SignalStanding::Decides => (SignalMeaning::Decides, None),
        SignalStanding::Agrees => (SignalMeaning::Agrees, None),
        SignalStanding::Superseded => (SignalMeaning::Superseded, None),
        SignalStanding::Outweighed => (SignalMeaning::Outweighed, None),
        SignalStanding::Waits(until) => (SignalMeaning::Waits, DateTime::from_timestamp_millis(until)),
        SignalStanding::Unclear => (SignalMeaning::Unclear, None),
        SignalStanding::NotCounted => (SignalMeaning::NotCounted, None),
        SignalStanding::Stopped => (SignalMeaning::Stopped, None),
    };
    TraceSignal {
        id: row.signal_id,
        source: row.source,
        key: row.key.and_then(|(name, value)| Some(RunKey { name: name.parse().ok()?, value })),
        outcome,
        score,
        result,
        meaning,
        waits_until,
        occurred_at: row.occurred_at,
        received_at: row.received_at,
        comment: row.comment,
        url: row.url,
        metadata: row.metadata,
        by_feedback_token: row.by_token,
    }
}

pub(crate) fn signal_sources(report: SourcesReport) -> SignalSources {
    let sources = report.sources.into_iter().map(source).collect();
    SignalSources { settings: report.settings, sources }
}

fn source(report: SourceReport) -> SourceValue {
    SourceValue {
        source: report.source,
        rule: report.rule,
        agreement: agreement(&report.agreement),
        interval: report.agreement.interval().map(|(low, high)| [low, high]),
        stopped: report.agreement.stopped,
        last_week: SignalWeek {
            signals: count(report.week.signals),
            waiting: count(report.week.waiting),
            reviews: count(report.week.reviews),
        },
    }
}

pub(crate) fn feedback_token(trace_id: TraceId, issued: IssuedToken) -> FeedbackToken {
    FeedbackToken { token: issued.token, trace_id, expires_at: issued.expires_at }
}

/// The token and the vote.
pub(crate) fn feedback(request: SendFeedback) -> (String, FeedbackVote) {
    let SendFeedback { token, outcome, score, comment } = request;
    (token, FeedbackVote { outcome, score, comment })
}
