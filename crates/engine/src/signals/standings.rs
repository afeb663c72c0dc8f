//! How far each source counts: its rule, and its measured agreement with people, which is cached.

use std::collections::BTreeMap;
use std::time::Duration;

use moka::future::Cache;
use reflect_rules::signals::SourceStanding;
use reflect_store::{ProjectCtx, StoreError};
use reflect_types::{ProjectId, SignalSettings, SignalSource};

use crate::agreement::Agreement;

/// To measure a source reads thousands of rows, and a few more reviews of people hardly change its learning rate.
const TIME_TO_LIVE: Duration = Duration::from_secs(20);
const MOST_ENTRIES: u64 = 10_000;

/// The agreement of sources with people. It is needed for every run with signals and for the list of sources, and reads
/// many rows.
#[derive(Debug, Clone)]
pub(super) struct SourceAgreements {
    known: Cache<(ProjectId, SignalSource), Agreement>,
}

/// The sources of the signals about a run, or of a project.
#[derive(Debug)]
pub(super) struct SourceStandings(BTreeMap<SignalSource, (SourceStanding, Agreement)>);

impl SourceAgreements {
    pub(super) fn new() -> Self {
        Self { known: Cache::builder().max_capacity(MOST_ENTRIES).time_to_live(TIME_TO_LIVE).build() }
    }

    /// The standings of these sources.
    pub(super) async fn of<'a>(
        &self,
        id: ProjectId,
        project: &ProjectCtx,
        settings: &SignalSettings,
        sources: impl Iterator<Item = &'a SignalSource>,
    ) -> Result<SourceStandings, StoreError> {
        let mut standings = BTreeMap::new();
        for source in sources {
            if standings.contains_key(source) {
                continue;
            }
            let rule = settings.rule(source);
            let key = (id, source.clone());
            let agreement = match self.known.get(&key).await {
                Some(agreement) => agreement,
                None => {
                    let measured = Agreement::of(project.judgements().signals().pairs(source, &rule).await?);
                    self.known.insert(key, measured).await;
                    measured
                }
            };
            let standing = SourceStanding { rule, stopped: agreement.stopped };
            standings.insert(source.clone(), (standing, agreement));
        }
        Ok(SourceStandings(standings))
    }
}

impl SourceStandings {
    /// The standing of a source. A source that is not among them does not count.
    pub(super) fn standing(&self, source: &SignalSource, settings: &SignalSettings) -> SourceStanding {
        let known = self.0.get(source).map(|(standing, _)| *standing);
        known.unwrap_or_else(|| SourceStanding { rule: settings.rule(source), stopped: true })
    }

    /// The agreement of a source with people.
    pub(super) fn agreement(&self, source: &SignalSource) -> Agreement {
        let known = self.0.get(source).map(|(_, agreement)| *agreement);
        known.unwrap_or_else(|| Agreement::of(reflect_store::VerdictPairs::default()))
    }
}
