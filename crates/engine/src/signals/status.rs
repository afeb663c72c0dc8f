//! The signals about a run as people see them, and the measured value of each source.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_rules::signals::SignalStanding;
use reflect_store::{SignalRow, SourceWeek};
use reflect_types::{ReviewResult, SignalSettings, SignalSource, SourceRule, TraceId};

use super::resolve::Considered;
use super::service::Signals;
use crate::agreement::Agreement;
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache;

/// A signal about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownSignal {
    /// The signal.
    pub row: SignalRow,
    /// The result that it means under the rule of its source.
    pub result: Option<ReviewResult>,
    /// What it means now.
    pub standing: SignalStanding,
}

/// The signals about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSignals {
    /// The signals, in the order in which they happened. Empty while they are withheld.
    pub signals: Vec<ShownSignal>,
    /// How many are withheld until a person has reviewed the run.
    pub withheld: usize,
    /// When they may change the review although no further signal arrives.
    pub again_at: Option<DateTime<Utc>>,
}

/// The rule and the measured value of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceReport {
    /// The source.
    pub source: SignalSource,
    /// Its rule.
    pub rule: SourceRule,
    /// Its agreement with people.
    pub agreement: Agreement,
    /// Its recent signals.
    pub week: SourceWeek,
}

/// All sources of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcesReport {
    /// The settings.
    pub settings: SignalSettings,
    /// The sources, highest precedence first.
    pub sources: Vec<SourceReport>,
}

impl Signals {
    /// The signals about a run. Blind ones are withheld until a person has reviewed it: a judge may be faster.
    pub async fn of_trace(&self, visitor: &Visitor, trace: TraceId) -> Result<TraceSignals, EngineError> {
        let project = self.store.project(visitor.project);
        let facts = self.projects.settings_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).signals;
        let run = project.judgements().signals().run(trace).await?;
        let by_person = run.review.as_ref().is_some_and(|review| !review.by.is_automatic());
        if !by_person && run.signals.iter().any(|signal| signal.blind) {
            return Ok(TraceSignals { signals: Vec::new(), withheld: run.signals.len(), again_at: None });
        }
        let Considered { decision, .. } = self.consider(visitor.project, &project, &run, &settings).await?;
        let again_at = decision.again_at.and_then(DateTime::from_timestamp_millis);
        let signals = run.signals.into_iter().zip(decision.standings).map(|(row, standing)| {
            let result = settings.rule(&row.source).result(row.report);
            ShownSignal { row, result, standing }
        });
        let signals = signals.collect();
        Ok(TraceSignals { signals, withheld: 0, again_at })
    }

    /// The sources of the caller's project: their rules and their measured values, which may be some seconds old.
    pub async fn sources(&self, visitor: &Visitor) -> Result<SourcesReport, EngineError> {
        let project = self.store.project(visitor.project);
        let facts = self.store.catalogue().project_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).signals;
        let week = project.judgements().signals().week().await?;
        let mut weeks: HashMap<String, SourceWeek> =
            week.into_iter().map(|week| (week.source.clone(), week)).collect();
        let mut rules = settings.rules();
        let unlisted = weeks.keys().filter_map(|name| name.parse::<SignalSource>().ok());
        let mut unlisted: Vec<SignalSource> =
            unlisted.filter(|source| rules.iter().all(|(known, _)| known != source)).collect();
        unlisted.sort();
        rules.extend(unlisted.into_iter().map(|source| (source.clone(), settings.rule(&source))));
        let names: Vec<&SignalSource> = rules.iter().map(|(source, _)| source).collect();
        let standings = self.agreements.of(visitor.project, &project, &settings, names.into_iter()).await?;
        let sources = rules.into_iter().map(|(source, rule)| {
            let agreement = standings.agreement(&source);
            let week = weeks.remove(source.as_str()).unwrap_or_default();
            SourceReport { source, rule, agreement, week }
        });
        let sources = sources.collect();
        Ok(SourcesReport { settings, sources })
    }
}
