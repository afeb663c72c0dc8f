//! Turning the signals about a run into its review.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_rules::signals::{ExistingReview, RunReport, SignalAction, SignalDecision, decide};
use reflect_store::{
    AuditActor, MatchJob, NewReview, ProjectCtx, ResolveJob, ReviewChange, SignalRow, SignalWait,
    SignalledRun, StoreError,
};
use reflect_types::{
    ProjectId, ReviewId, ReviewMode, ReviewResult, ReviewerKind, SignalSettings, SignalSource, Trust,
};

use super::service::{Signals, blind};
use super::standings::SourceStandings;
use crate::project_cache;
use crate::votes::{VotedRun, Voter};

/// Retries when another caller changes the review at the same time.
const LOOKS: usize = 5;
/// More sources than this about one run are a mistake, such as one for each build. To measure a source costs a query.
const MOST_SOURCES: usize = 50;
/// A user who changes their mind within this time costs the call of one model.
const GRACE_OF_VOTES: Duration = Duration::from_secs(60);
/// Who withdraws reviews whose signals are about another run.
const ACTOR: &str = "signals";

/// What the signals about a run mean now, and how far their sources count.
pub(super) struct Considered {
    pub(super) decision: SignalDecision,
    pub(super) standings: SourceStandings,
}

impl Signals {
    /// Looks at the signals about a run. An error means that the store could not be reached and that the job has to run again.
    pub(crate) async fn resolve(&self, job: ResolveJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        for _ in 0..LOOKS {
            // Not those of the cache: a change of the settings wakes this job, also in other processes.
            let settings = match self.store.catalogue().project_facts(job.project()).await {
                Ok(facts) => project_cache::settings(&facts.settings).signals,
                Err(StoreError::NotFound { .. }) => return Ok(()),
                Err(error) => return Err(error),
            };
            let run = match project.judgements().signals().run(job.trace_id).await {
                Ok(run) => run,
                // The run was deleted.
                Err(StoreError::NotFound { .. }) => {
                    return project.judgements().signals().forget_wait(job.trace_id).await;
                }
                Err(error) => return Err(error),
            };
            let Some(wait) = run.wait else { return Ok(()) };
            let considered = self.consider(job.project(), &project, &run, &settings).await?;
            match self.apply(job, &project, &run, wait, &considered).await {
                Ok(true) => return Ok(()),
                // A run that was deleted meanwhile is not found the next time.
                Ok(false) | Err(StoreError::Conflict { .. } | StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Conflict { what: "other callers are changing this review" })
    }

    /// Looks again for the runs of signals that were stored without one.
    pub(crate) async fn match_signals(&self, job: MatchJob) -> Result<(), StoreError> {
        let settings = match self.projects.settings_facts(job.project()).await {
            Ok(facts) => project_cache::settings(&facts.settings).signals,
            Err(StoreError::NotFound { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let project = self.store.project(job.project());
        project.judgements().signals().match_waiting(job.minute, &blind(&settings)).await
    }

    pub(super) async fn consider(
        &self,
        id: ProjectId,
        project: &ProjectCtx,
        run: &SignalledRun,
        settings: &SignalSettings,
    ) -> Result<Considered, StoreError> {
        let sources = measured_sources(&run.signals, settings).into_iter();
        let standings = self.agreements.of(id, project, settings, sources).await?;
        let reports: Vec<RunReport> = run.signals.iter().map(report).collect();
        let review = run.review.as_ref().map(|review| {
            let is_of = |source: &SignalSource| run.signals.iter().any(|signal| signal.source == *source);
            ExistingReview {
                by: review.by,
                result: review.result,
                untrusted: review.trust == Trust::Untrusted,
                orphaned: review.source.as_ref().is_some_and(|source| !is_of(source)),
            }
        });
        let is_blind = run.signals.iter().any(|signal| signal.blind);
        let standing = |source: &_| standings.standing(source, settings);
        let decision = decide(&reports, standing, review, is_blind, run.now.timestamp_millis());
        Ok(Considered { decision, standings })
    }

    /// Stores what was decided. Returns false if the run has another review by now.
    async fn apply(
        &self,
        job: ResolveJob,
        project: &ProjectCtx,
        run: &SignalledRun,
        wait: SignalWait,
        considered: &Considered,
    ) -> Result<bool, StoreError> {
        let signals = project.judgements().signals();
        let again = again(considered.decision.again_at, run.now);
        let decided = match considered.decision.action {
            SignalAction::Keep => {
                signals.settle(job.trace_id, wait, again).await?;
                return Ok(true);
            }
            SignalAction::Withdraw => None,
            SignalAction::Review { signal, result } => run.signals.get(signal).zip(Some(result)),
        };
        let review = match decided {
            Some((signal, result)) => {
                Some(self.review(job.project(), run, signal, result, &considered.standings).await?)
            }
            None => None,
        };
        let change = ReviewChange {
            trace: job.trace_id,
            instead_of: run.review.as_ref().map(|review| review.review_id),
            review: review.as_ref(),
            lesson: None,
        };
        let name = review.as_ref().map_or_else(|| ACTOR.to_owned(), |review| review.reviewer.clone());
        let applied = signals.apply(&change, wait, again, &AuditActor::local(name)).await?;
        if applied {
            self.events.publish(job.project(), "reviews", Some(job.trace_id.as_uuid()));
        }
        if let Some((signal, result)) = decided.filter(|_| applied) {
            let source = signal.source.metric_label();
            metrics::counter!("reflect_signal_reviews_total", "source" => source, "verdict" => result.as_str())
                .increment(1);
        }
        Ok(applied)
    }

    /// The review that a signal becomes.
    async fn review(
        &self,
        project: ProjectId,
        run: &SignalledRun,
        signal: &SignalRow,
        result: ReviewResult,
        standings: &SourceStandings,
    ) -> Result<NewReview, StoreError> {
        let alpha = standings.agreement(&signal.source).alpha();
        let voter =
            Voter { project, key_id: signal.key_id, trust: signal.trust, may_review: !signal.bounded };
        let voted = VotedRun { task: &run.task, linked: &run.linked, retrieval: run.retrieval };
        // Anyone with a feedback token can write a comment, so nothing is learned from it.
        let feedback = signal.comment.clone().filter(|_| !signal.by_token);
        Ok(NewReview {
            review_id: ReviewId::generate(),
            result,
            feedback,
            alpha,
            mode: ReviewMode::Deferred,
            reviewer: format!("{}{}", ReviewerKind::SIGNAL, signal.source),
            authored: None,
            grace: if signal.by_token { GRACE_OF_VOTES } else { Duration::ZERO },
            action: None,
            trust: signal.trust,
            bounds: self.votes.bounds(&voter, voted, alpha).await?,
            reviewed_at: None,
        })
    }
}

/// The sources of the signals about a run: those of trusted keys first, then those with the highest precedence. If there
/// are too many, the others do not count.
fn measured_sources<'a>(signals: &'a [SignalRow], settings: &SignalSettings) -> Vec<&'a SignalSource> {
    let mut known: BTreeMap<&SignalSource, bool> = BTreeMap::new();
    for signal in signals {
        *known.entry(&signal.source).or_default() |= signal.trust != Trust::Untrusted;
    }
    let mut sources: Vec<(&SignalSource, bool)> = known.into_iter().collect();
    sources.sort_by_key(|(source, trusted)| Reverse((*trusted, settings.rule(source).precedence)));
    sources.into_iter().map(|(source, _)| source).take(MOST_SOURCES).collect()
}

/// When the signals have to be looked at again, and after which time.
fn again(at: Option<i64>, now: DateTime<Utc>) -> Option<(DateTime<Utc>, Duration)> {
    let at = DateTime::from_timestamp_millis(at?)?;
    Some((at, (at - now).to_std().unwrap_or_default()))
}

fn report(signal: &SignalRow) -> RunReport {
    RunReport {
        source: signal.source.clone(),
        report: signal.report,
        occurred_at: signal.occurred_at.timestamp_millis(),
        received_at: signal.received_at.timestamp_millis(),
        untrusted: signal.trust == Trust::Untrusted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_types::{KeyId, SignalId, SignalReport};

    fn signal(source: &str, trust: Trust) -> SignalRow {
        SignalRow {
            signal_id: SignalId::generate(),
            source: source.parse().unwrap(),
            key: None,
            report: SignalReport::Outcome(ReviewResult::Pass),
            occurred_at: DateTime::UNIX_EPOCH,
            received_at: DateTime::UNIX_EPOCH,
            comment: None,
            url: None,
            metadata: None,
            key_id: KeyId::generate(),
            trust,
            by_token: false,
            bounded: false,
            blind: false,
        }
    }

    #[test]
    fn many_sources_of_an_untrusted_key_do_not_displace_those_of_others() {
        let many = (0..60).map(|number| signal(&format!("build-{number}"), Trust::Untrusted));
        let others = [("ci", Trust::Normal), ("ci", Trust::Untrusted), ("merge", Trust::Normal)];
        let signals: Vec<SignalRow> =
            many.chain(others.map(|(source, trust)| signal(source, trust))).collect();

        let measured = measured_sources(&signals, &SignalSettings::default());

        assert_eq!(measured.len(), MOST_SOURCES);
        assert_eq!((measured[0].as_str(), measured[1].as_str()), ("merge", "ci"));
    }

    #[test]
    fn a_time_that_has_passed_is_looked_at_at_once() {
        let now = DateTime::from_timestamp(100, 0).unwrap();
        let (at, delay) = again(Some(90_000), now).unwrap();
        assert_eq!((at.timestamp(), delay), (90, Duration::ZERO));
        assert_eq!(again(Some(101_500), now).unwrap().1, Duration::from_millis(1500));
        assert_eq!((again(None, now), again(Some(i64::MAX), now)), (None, None));
    }
}
