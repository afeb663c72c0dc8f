//! The environment of the attacks: one database, with a project for each attack.

use std::collections::HashSet;
use std::iter::once;
use std::sync::Arc;

use anyhow::{Context, ensure};
use reflect_case_stream::data::Dataset;
use reflect_case_stream::project;
use reflect_case_stream::vectors::SetVectors;
use reflect_engine::{AuthoredLesson, Engine, EngineSettings, KeyRequest, Models, RetrievedMemory, Visitor};
use reflect_store::{AuditActor, MigrationSettings, RequestOrigin, Store, StoreSettings};
use reflect_types::{MemoryId, ProjectSlug, ReviewResult, Trust};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::runtime::Runtime;
use uuid::Uuid;

use super::cast::{ATTACKERS, Cast, Planted};
use super::script::{advice, ask, lesson, poison, right_lesson, teach, vote, work};
use super::{Defences, Share, Suite};
use crate::embedder::KeptEmbedder;

/// The number of keys of honest users.
const WORKERS: usize = 3;
/// How often each of its keys votes for its own memories and against others.
const ROUNDS: usize = 2;
/// How many memories one vote names.
const NAMED: usize = 20;

/// The product with a temporary database.
pub(crate) struct Stage<'a> {
    set: &'a Dataset,
    vectors: &'a SetVectors,
    engine: Engine,
    server: String,
    database: String,
    runtime: Runtime,
}

/// All owners of keys.
struct Keys {
    workers: Vec<Visitor>,
    attackers: Vec<Visitor>,
    /// The keys that the attacker votes with.
    voters: Vec<Visitor>,
}

impl<'a> Stage<'a> {
    /// Creates a database on a server and opens the engine.
    pub(crate) fn open(server: &str, set: &'a Dataset, vectors: &'a SetVectors) -> anyhow::Result<Self> {
        let embedder = KeptEmbedder::new(set, vectors, &project::minilm()?)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let database = format!("poison_{}", Uuid::now_v7().simple());
        let url = url(server, &database)?;
        let engine = runtime.block_on(async {
            execute(server, format!("create database {database}")).await?;
            let layout = MigrationSettings { url: url.clone().into(), hash_partitions: 4, partition_days: 7 };
            Store::migrate(&layout).await?;
            let settings = StoreSettings::new(url.into(), 8);
            let store = Store::connect(&settings).await?;
            let models = Models { embedder: Some(Arc::new(embedder)), ..Models::default() };
            anyhow::Ok(Engine::new(store, models, EngineSettings::default()))
        })?;
        Ok(Self { set, vectors, engine, server: server.to_owned(), database, runtime })
    }

    /// Runs one attack: honest users work, the attacker attacks, and honest users work and query again.
    pub(crate) fn run(&self, suite: Suite, defences: Defences, seed: u64) -> anyhow::Result<Share> {
        self.runtime.block_on(self.play(suite, defences, seed))
    }

    async fn play(&self, suite: Suite, defences: Defences, seed: u64) -> anyhow::Result<Share> {
        let cast = Cast::new(self.set, self.vectors, suite, seed);
        let keys = self.keys(suite, defences).await?;
        let mut worker = keys.workers.iter().cycle();
        let mut next = || worker.next().unwrap_or(&keys.workers[0]);
        let (engine, project) = (&self.engine, keys.attackers[0].project.number());
        let right = |tool: usize| -> AuthoredLesson {
            let tool = &self.set.tools[tool];
            if suite == Suite::Groupings { right_lesson(tool) } else { lesson(advice(tool)) }
        };

        let mut poisoned = self.plant(&cast.first, &keys).await?;
        let agreeing = self.plant(&cast.agreeing, &keys).await?;
        // The same lesson from two users, because trust needs a second source.
        let mut known = Vec::new();
        for case in &cast.earlier {
            for _ in 0..2 {
                known.push(teach(engine, next(), &case.task, right(case.tool)).await?);
            }
        }
        // The second run is absorbed by the memory of the first.
        known.dedup();
        if suite == Suite::Groupings {
            // A contradiction replaces only memories with a low value.
            self.farm(&keys, &[], &known).await?;
        }
        poisoned.extend(self.plant(&cast.planted, &keys).await?);
        if suite == Suite::Groupings {
            self.check_groupings(defences, project, &poisoned, &agreeing).await?;
        }
        self.switch_off(defences, project).await?;
        // A run of the attacker that an honest memory absorbed has its id.
        poisoned.retain(|memory| !known.contains(memory));
        self.farm(&keys, &poisoned, &known).await?;
        for case in &cast.later {
            work(engine, next(), &case.task, right(case.tool)).await?;
        }

        let poisoned: HashSet<MemoryId> = poisoned.into_iter().collect();
        // The attacker's memory, alone or as a part of the support of another one, or its words.
        let is_poisoned = |memory: &RetrievedMemory| {
            let mut received = once(&memory.row.memory_id).chain(&memory.stands_for);
            received.any(|id| poisoned.contains(id)) || memory.row.guidance == poison()
        };
        let mut share = Share::default();
        for case in &cast.questions {
            let (_, memories) = ask(engine, next(), &case.task).await?;
            share.asked += 1;
            share.poisoned += usize::from(memories.iter().any(is_poisoned));
        }
        Ok(share)
    }

    /// The attacker's lessons.
    async fn plant(&self, lessons: &[Planted], keys: &Keys) -> anyhow::Result<Vec<MemoryId>> {
        let mut planted = Vec::new();
        for one in lessons {
            for attacker in keys.attackers.iter().take(one.keys) {
                planted.push(teach(&self.engine, attacker, &one.task, one.lesson.clone()).await?);
            }
        }
        Ok(planted)
    }

    /// Attackers replace memories and speak for lessons of others exactly if their keys are trusted. That a lesson of theirs is
    /// corroborated changes nothing.
    async fn check_groupings(
        &self,
        defences: Defences,
        project: i32,
        poisoned: &[MemoryId],
        agreeing: &[MemoryId],
    ) -> anyhow::Result<()> {
        let Defences { untrusted, .. } = defences;
        let planted: Vec<MemoryId> = poisoned.iter().chain(agreeing).copied().collect();
        let replaced = self.superseded(project).await?;
        ensure!((replaced > 0) != untrusted, "{replaced} memories were replaced, untrusted: {untrusted}");
        let spoken_for = self.count(SPOKEN_FOR, project, &planted).await?;
        ensure!(
            (spoken_for > 0) != untrusted,
            "attackers speak for {spoken_for} memories of others, untrusted: {untrusted}"
        );
        let corroborated = self.count(CORROBORATED, project, agreeing).await?;
        ensure!(corroborated > 0, "no lesson of the attackers was corroborated: nothing was shown");
        Ok(())
    }

    /// How many memories of a project are superseded.
    async fn superseded(&self, project: i32) -> anyhow::Result<i64> {
        let mut connection = PgConnection::connect(&url(&self.server, &self.database)?).await?;
        let statement =
            "select count(*) from memory_stat where project_id = $1 and superseded_by is not null";
        let count = sqlx::query_scalar(statement).bind(project).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(count)
    }

    /// Counts memories of a project by a statement about some of them.
    async fn count(
        &self,
        statement: &'static str,
        project: i32,
        memories: &[MemoryId],
    ) -> anyhow::Result<i64> {
        let memories: Vec<Uuid> = memories.iter().map(|memory| memory.as_uuid()).collect();
        let mut connection = PgConnection::connect(&url(&self.server, &self.database)?).await?;
        let count = sqlx::query_scalar(statement).bind(project).bind(memories);
        let count = count.fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(count)
    }

    /// The attacker votes for its own memories and against those of others.
    async fn farm(&self, keys: &Keys, poisoned: &[MemoryId], known: &[MemoryId]) -> anyhow::Result<()> {
        for voter in &keys.voters {
            for _ in 0..ROUNDS {
                for some in poisoned.chunks(NAMED) {
                    vote(&self.engine, voter, some, ReviewResult::Pass).await?;
                }
                for some in known.chunks(NAMED) {
                    vote(&self.engine, voter, some, ReviewResult::Fail).await?;
                }
            }
        }
        Ok(())
    }

    /// A new project with its keys.
    async fn keys(&self, suite: Suite, defences: Defences) -> anyhow::Result<Keys> {
        let slug: ProjectSlug = format!("attack-{}", Uuid::now_v7().simple()).parse()?;
        let is_untrusted = defences.untrusted && suite != Suite::Evasions;
        let trust = if is_untrusted { Trust::Untrusted } else { Trust::Normal };
        let votes = if defences.votes { trust } else { Trust::Normal };
        Ok(Keys {
            workers: self.some(&slug, WORKERS, Trust::Normal).await?,
            attackers: self.some(&slug, ATTACKERS, trust).await?,
            voters: self.some(&slug, ATTACKERS, votes).await?,
        })
    }

    async fn some(&self, slug: &ProjectSlug, count: usize, trust: Trust) -> anyhow::Result<Vec<Visitor>> {
        let actor = AuditActor::local("bench");
        let mut visitors = Vec::new();
        for _ in 0..count {
            let request = KeyRequest { trust, ..KeyRequest::master("bench".to_owned()) };
            let made = self.engine.keys.create_as_operator(Some(slug), request, &actor).await?;
            let holder = self.engine.access.authenticate(made.text.expose(), None).await?;
            visitors.push(self.engine.access.enter(&holder, slug, false, &RequestOrigin::default()).await?);
        }
        Ok(visitors)
    }

    /// Undoes, in the database, the effect of the disabled parts of the defence.
    async fn switch_off(&self, defences: Defences, project: i32) -> anyhow::Result<()> {
        let out = match (defences.quarantine, defences.same_words) {
            (false, _) => "select memory_id from memory_stat where project_id = $P and quarantined",
            (true, false) => TASKS_ALONE,
            (true, true) => return Ok(()),
        };
        let mut statements = vec![RELEASE.replace("$OUT", out)];
        if !defences.share {
            let alike = "update memory_stat set trust = 1, author_key = null, source_trace = null where project_id = $P";
            statements.push(alike.to_owned());
        }
        let url = url(&self.server, &self.database)?;
        for statement in statements {
            execute(&url, statement.replace("$P", &project.to_string())).await?;
        }
        Ok(())
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let gone = self.runtime.block_on(async {
            self.engine.store.close().await;
            execute(&self.server, format!("drop database {} with (force)", self.database)).await
        });
        if let Err(error) = gone {
            eprintln!("the database {} was left behind: {error}", self.database);
        }
    }
}

/// The URL of another database on the same server.
fn url(server: &str, database: &str) -> anyhow::Result<String> {
    let (server, _) = server.rsplit_once('/').context("a URL of a database ends with its name")?;
    Ok(format!("{server}/{database}"))
}

async fn execute(url: &str, statement: String) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    connection.execute(AssertSqlSafe(statement)).await?;
    Ok(connection.close().await?)
}

/// Memories with the words of a named one that are not named.
const SPOKEN_FOR: &str = "select count(*) from memory_stat
where project_id = $1 and memory_id <> all($2) and lesson_speaker($1, lesson_id) = any($2)";

/// Named memories that are not in quarantine.
const CORROBORATED: &str = "select count(*) from memory_stat
where project_id = $1 and memory_id = any($2) and not quarantined";

/// Releases memories from quarantine.
const RELEASE: &str = "with free as (
  update memory_stat set quarantined = false where project_id = $P and memory_id in ($OUT) returning memory_id
), moved as (
  delete from parked_vector where project_id = $P and memory_id in (select memory_id from free)
  returning project_id, space_id, memory_id, embedding
)
insert into memory_vector (project_id, space_id, memory_id, embedding) select * from moved";

/// Memories in quarantine with similar tasks of two trusted keys and the same result, whatever their text.
const TASKS_ALONE: &str = "select p.memory_id
from parked_vector p
join memory_stat w on w.project_id = $P and w.memory_id = p.memory_id and w.quarantined
join memory m on m.project_id = $P and m.memory_id = p.memory_id
join memory_vector v on v.project_id = $P and v.space_id = p.space_id and -(v.embedding <#> p.embedding) > 0.8
join memory_stat s on s.project_id = $P and s.memory_id = v.memory_id and s.trust >= 1
join memory o on o.project_id = $P and o.memory_id = v.memory_id and o.success = m.success
where p.project_id = $P
group by p.memory_id
having count(distinct o.author_key) >= 2";
