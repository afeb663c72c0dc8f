//! One release: its database is migrated under the load of its servers, then with kills, then as mutants.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{bail, ensure};
use reflect_scripted_provider::ScriptedProvider;
use reflect_soak::audit::audit;
use reflect_soak::client::Log;
use reflect_soak::drain::drain;
use reflect_soak::provider;
use sqlx::{Connection, Executor, PgConnection};

use crate::Arguments;
use crate::clients::{self, Version};
use crate::gate::Plan;
use crate::locks::{self, Wait};
use crate::migrating::{Ended, migrate};
use crate::migrations::Migrations;
use crate::postgres::Postgres;
use crate::record::SLUGS;
use crate::recording::Recording;
use crate::release::Release;
use crate::replay::Replay;
use crate::schema;

/// How many players replay the statements of the release at the same time.
const PLAYERS: usize = 3;
const DRAIN: Duration = Duration::from_secs(120);
/// Markers of runs in the database of the release begin with 0.
const ROUND: u64 = 1_000;
/// More than there are places.
const MOST_KILLS: usize = 2_000;
/// How many failures are named.
const SHOWN: usize = 10;

/// A release and what is needed to migrate its database.
pub(crate) struct Trial<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) postgres: &'a Postgres,
    pub(crate) migrations: &'a Migrations,
    pub(crate) release: &'a Release,
    pub(crate) recording: Recording,
    /// The last migration of the release.
    pub(crate) last: i64,
    /// Its database, which is copied.
    pub(crate) template: String,
}

/// What a migration under load did.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// Failed statements and calls.
    pub(crate) failures: Vec<String>,
    /// The longest wait behind the migration.
    pub(crate) longest: Option<Wait>,
    /// What the audit found.
    pub(crate) violations: Vec<String>,
    pub(crate) acknowledged: usize,
    pub(crate) rounds: usize,
}

impl Loaded {
    pub(crate) fn longest_ms(&self) -> f64 {
        self.longest.as_ref().map_or(locks::SHORTEST_MS, |wait| wait.milliseconds)
    }

    pub(crate) fn print(&self) {
        self.failures.iter().take(SHOWN).for_each(|failure| println!("  failed: {failure}"));
        self.violations.iter().take(SHOWN).for_each(|violation| println!("  violation: {violation}"));
        if let Some(wait) = &self.longest {
            println!("  the longest wait: {:.0} ms for {}", wait.milliseconds, wait.lock);
        }
    }
}

impl<'a> Trial<'a> {
    pub(crate) async fn prepare(
        arguments: &'a Arguments,
        (postgres, migrations, release): (&'a Postgres, &'a Migrations, &'a Release),
        large: bool,
    ) -> anyhow::Result<Self> {
        let template = format!("{}-{}", release.version, if large { "large" } else { "small" });
        let last = release.restore(postgres, &template, large).await?;
        let recording = release.recording()?;
        ensure!(recording.commits() > 0, "the recording of {} is empty", release.version);
        Ok(Self { arguments, postgres, migrations, release, recording, last, template })
    }

    /// The numbers of the migrations since the release.
    pub(crate) fn pending(&self) -> Vec<i64> {
        self.migrations.after(self.last)
    }

    /// Migrates a copy of the database while servers of the release work, then starts those of this checkout beside them, stops
    /// the old ones, finishes all work, and audits.
    pub(crate) async fn under_load(&self, database: &str, plan: Plan) -> anyhow::Result<Loaded> {
        let url = self.postgres.create(database, Some(&self.template)).await?;
        let provider = ScriptedProvider::start(provider::good()).await?;
        let mut log = Log::default();
        let old = match self.arguments.old_binary(&self.release.version) {
            Some(binary) => {
                println!("processes of {} work beside its recorded statements", binary.display());
                let version = Version::new(&binary, &url, "old");
                Some(version.start(&provider, &SLUGS, (2, ROUND, self.arguments.seed)).await?)
            }
            None => None,
        };
        let replay = Replay::start(&self.recording, (self.postgres.port, database, &url), PLAYERS).await?;
        let logged = self.postgres.log_length()?;
        let migrated = self.migrate(database, plan).await?.completed()?;
        let waits = locks::waits(&self.postgres.log_after(logged)?);
        let mut loaded = Loaded {
            longest: locks::longest_behind(&waits, &migrated.processes).cloned(),
            ..Loaded::default()
        };

        let version = Version::new(&self.arguments.binary, &url, "new");
        let mut new = version.start(&provider, &SLUGS, (2, ROUND + 1, self.arguments.seed)).await?;
        tokio::time::sleep(self.both_versions()).await;
        if let Some(mut old) = old {
            log.absorb(old.stop_clients().await);
            for process in old.servers {
                process.kill().await?;
            }
        }
        let done = replay.finish().await?;
        log.absorb(new.stop_clients().await);
        loaded.rounds = done.rounds;
        loaded.failures = done.failures;
        loaded.failures.extend(clients::failures(&log));
        loaded.acknowledged = log.acknowledged();
        loaded.violations = self.finish(&url, &log).await?;
        for process in new.servers {
            process.kill().await?;
        }
        self.postgres.drop(database).await?;
        Ok(loaded)
    }

    /// Migrates a copy of the database while statements of the release are replayed. Returns the failed ones, and the longest wait
    /// behind the migration.
    pub(crate) async fn statements_under(
        &self,
        database: &str,
        plan: Plan,
    ) -> anyhow::Result<(Vec<String>, Option<Wait>)> {
        let url = self.postgres.create(database, Some(&self.template)).await?;
        let replay = Replay::start(&self.recording, (self.postgres.port, database, &url), PLAYERS).await?;
        let logged = self.postgres.log_length()?;
        let migrated = self.migrate(database, plan).await?;
        let done = replay.finish().await?;
        let waits = locks::waits(&self.postgres.log_after(logged)?);
        self.postgres.drop(database).await?;
        Ok((done.failures, locks::longest_behind(&waits, &migrated.processes).cloned()))
    }

    /// Takes over the jobs of the processes that are gone, finishes all work and audits.
    async fn finish(&self, url: &str, log: &Log) -> anyhow::Result<Vec<String>> {
        let mut connection = PgConnection::connect(url).await?;
        // Maintenance takes jobs over a minute after the last sign of life.
        connection
            .execute("do $$ begin if to_regclass('reflect_jobs._private_workers') is not null then \
                      delete from reflect_jobs._private_workers; perform adopt_earlier_jobs(); end if; end $$")
            .await?;
        let drained = drain(url, DRAIN).await?;
        let found = audit(url, log, drained.is_complete()).await?;
        let mut violations: Vec<String> = found.violations.iter().map(ToString::to_string).collect();
        if !drained.is_complete() {
            violations.push(format!("{} are left", drained.left));
        }
        Ok(violations)
    }

    async fn migrate(&self, database: &str, plan: Plan) -> anyhow::Result<crate::migrating::Migrated> {
        migrate(&self.arguments.binary, (self.postgres, database), self.migrations, plan).await
    }

    /// Kills the migration of a copy at each place, and compares the result with that of a migration without kills. Returns the
    /// number of kills, and the differences.
    pub(crate) async fn with_kills(&self, name: &str, plan: &Plan) -> anyhow::Result<(usize, Vec<String>)> {
        let (plain, killed) = (format!("{name}-plain"), format!("{name}-killed"));
        self.postgres.create(&plain, Some(&self.template)).await?;
        self.postgres.create(&killed, Some(&self.template)).await?;
        let unbroken = Plan { added: plan.added.clone(), ..Plan::default() };
        self.migrate(&plain, unbroken).await?.completed()?;
        let mut places = BTreeSet::new();
        let differences = loop {
            ensure!(places.len() < MOST_KILLS, "the migration does not end");
            let plan = Plan { killed_at: Some(places.clone()), ..plan.clone() };
            match self.migrate(&killed, plan).await?.ended {
                Ended::Completed => break schema::differences(self.postgres, &plain, &killed).await?,
                Ended::Killed(place) if places.insert(place.clone()) => {}
                Ended::Killed(place) => bail!("killed twice at {place}"),
                Ended::Failed(said) => break vec![format!("after {} kills it fails: {said}", places.len())],
            }
        };
        self.postgres.drop(&plain).await?;
        self.postgres.drop(&killed).await?;
        Ok((places.len(), differences))
    }

    /// For how long both versions work on the new schema.
    fn both_versions(&self) -> Duration {
        Duration::from_secs(if self.arguments.quick { 4 } else { 30 })
    }
}
