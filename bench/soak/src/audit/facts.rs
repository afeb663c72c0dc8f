//! The content of the database, read in one snapshot, so that the audit is consistent.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use sqlx::{Connection, Executor, FromRow, PgConnection};
use uuid::Uuid;

/// `erased` in `memory_stat`.
const ERASED: i16 = 3;

/// The smallest id that is not older than the retention of a project, or than the oldest partition.
const KEPT_SINCE: &str = "select p.project_id, greatest(\
       uuid_at(now() - make_interval(days => (p.settings -> 'retention' ->> 'traces_days')::int)), \
       (select uuid_at(min(from_at)) from time_partition where parent = 'trace')) \
     from project p where exists (select from time_partition where parent = 'trace')";

/// The number of a project in every table.
pub(crate) type Project = i32;
/// A row of a project, by its id.
pub(crate) type Key = (Project, Uuid);

/// A project and its embedding spaces.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct ProjectFact {
    pub(crate) project_id: Project,
    pub(crate) slug: String,
    pub(crate) write_spaces: Vec<i16>,
}

/// A run.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct TraceFact {
    pub(crate) project_id: Project,
    pub(crate) trace_id: Uuid,
    pub(crate) task: String,
    pub(crate) metadata: Value,
    pub(crate) retrieved: Vec<String>,
    pub(crate) retrieval_id: Option<Uuid>,
    pub(crate) linked: Vec<Uuid>,
    /// Whether it was deleted or erased. Only its id is left then.
    pub(crate) erased: bool,
}

/// The state of a run.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct StateFact {
    pub(crate) project_id: Project,
    pub(crate) trace_id: Uuid,
    pub(crate) ingest: i16,
    pub(crate) reviewed: bool,
    pub(crate) review_id: Option<Uuid>,
    pub(crate) memory_id: Option<Uuid>,
    pub(crate) attempts: i16,
    pub(crate) last_error: Option<String>,
}

/// A review, current or replaced.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct ReviewFact {
    pub(crate) project_id: Project,
    pub(crate) review_id: Uuid,
    pub(crate) trace_id: Uuid,
    pub(crate) passed: bool,
    pub(crate) alpha: f32,
    pub(crate) live: bool,
}

/// A row of the ledger.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct EventFact {
    pub(crate) seq: i64,
    pub(crate) project_id: Project,
    pub(crate) review_id: Uuid,
    pub(crate) memory_id: Uuid,
    pub(crate) reward: f32,
    pub(crate) alpha: f32,
    pub(crate) withdrawn: bool,
    pub(crate) annealed: bool,
    pub(crate) used: Option<bool>,
    pub(crate) expected: Option<f32>,
    pub(crate) credited: Option<i32>,
}

/// An intermediate result of the fold of a memory.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct CheckpointFact {
    pub(crate) project_id: Project,
    pub(crate) memory_id: Uuid,
    /// 0 utility, 1 credit.
    pub(crate) fold: i16,
    pub(crate) position: i64,
    pub(crate) value: f32,
    pub(crate) reviews: i32,
    pub(crate) passes: i32,
}

/// A memory.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct MemoryFact {
    pub(crate) project_id: Project,
    pub(crate) memory_id: Uuid,
    pub(crate) source_review: Option<Uuid>,
    pub(crate) source_trace: Option<Uuid>,
    /// The marked step of its run.
    pub(crate) step: Option<i16>,
}

/// The state of a memory.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct StatFact {
    pub(crate) project_id: Project,
    pub(crate) memory_id: Uuid,
    pub(crate) q: f32,
    pub(crate) reviews: i32,
    pub(crate) passes: i32,
    pub(crate) credit: f32,
    pub(crate) evidence: i32,
    pub(crate) status: i16,
    pub(crate) lesson_id: Option<Uuid>,
    pub(crate) merged_into: Option<Uuid>,
    pub(crate) superseded_by: Option<Uuid>,
    pub(crate) absorbed: i32,
}

/// The vector of a memory in one space.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct VectorFact {
    pub(crate) project_id: Project,
    pub(crate) memory_id: Uuid,
    pub(crate) space_id: i16,
    /// Whether it is kept aside and not searched.
    pub(crate) is_parked: bool,
}

/// A receipt.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct ReceiptFact {
    pub(crate) project_id: Project,
    pub(crate) retrieval_id: Uuid,
    /// All candidates.
    pub(crate) memory_ids: Vec<Uuid>,
    /// The served ones, and those with the same lesson as a served one.
    pub(crate) received: Vec<Uuid>,
}

/// A job.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct JobFact {
    pub(crate) project_id: i32,
    pub(crate) kind: i16,
    pub(crate) subject: Uuid,
    pub(crate) attempts: i16,
    pub(crate) worker: Option<Uuid>,
    /// Seconds since it was due. Negative if it is not due yet.
    pub(crate) overdue: f64,
    pub(crate) last_error: Option<String>,
    /// Why workers do not take it, according to its row.
    pub(crate) obstacle: String,
}

/// Everything that the audit checks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub(crate) projects: Vec<ProjectFact>,
    pub(crate) traces: Vec<TraceFact>,
    pub(crate) states: Vec<StateFact>,
    pub(crate) reviews: Vec<ReviewFact>,
    pub(crate) events: Vec<EventFact>,
    pub(crate) checkpoints: Vec<CheckpointFact>,
    pub(crate) memories: Vec<MemoryFact>,
    pub(crate) stats: Vec<StatFact>,
    pub(crate) vectors: Vec<VectorFact>,
    pub(crate) receipts: Vec<ReceiptFact>,
    pub(crate) jobs: Vec<JobFact>,
    /// Sessions with a transaction that has been open for seconds. The queue skips rows that they lock.
    pub(crate) long_transactions: Vec<String>,
    /// Workers with a recent heartbeat.
    pub(crate) living_workers: HashSet<Uuid>,
    /// Trajectories of the acknowledged runs as they are read back, or the error. Read separately.
    pub(crate) bodies: HashMap<Uuid, Result<Value, String>>,
    /// The id before which retention may have removed the runs of a project, or their texts.
    pub(crate) kept_since: HashMap<Project, Uuid>,
    /// Drafts of reflections that are stored although their memory exists.
    pub(crate) left_drafts: i64,
}

impl Facts {
    /// Reads everything as the owner of the tables, to which row-level security does not apply.
    pub(crate) async fn read(database_url: &str) -> anyhow::Result<Self> {
        let mut connection = PgConnection::connect(database_url).await?;
        let at = &mut connection;
        at.execute("begin isolation level repeatable read read only").await?;
        Ok(Self {
            projects: all(at, "select project_id, slug, write_spaces from project").await?,
            traces: all(
                at,
                "select project_id, trace_id, task, metadata, retrieved, retrieval_id, linked, \
                 erased_at is not null as erased from trace",
            )
            .await?,
            states: all(
                at,
                "select project_id, trace_id, ingest, reviewed, review_id, memory_id, attempts, last_error \
                 from trace_state",
            )
            .await?,
            reviews: all(
                at,
                "select project_id, review_id, trace_id, passed, alpha, \
                 superseded_by is null and withdrawn_at is null as live from review",
            )
            .await?,
            events: all(
                at,
                "select seq, project_id, review_id, memory_id, reward, alpha, withdrawn, annealed, used, \
                 expected, credited from utility_event order by memory_id, seq",
            )
            .await?,
            checkpoints: all(
                at,
                "select project_id, memory_id, fold, position, value, reviews, passes from fold_checkpoint",
            )
            .await?,
            memories: all(
                at,
                "select project_id, memory_id, source_review, source_trace, step from memory",
            )
            .await?,
            stats: all(
                at,
                "select project_id, memory_id, q, reviews, passes, credit, evidence, status, lesson_id, merged_into, \
                 superseded_by, coalesce(absorbed, 0) as absorbed from memory_stat",
            )
            .await?,
            vectors: all(
                at,
                "select project_id, memory_id, space_id, false as is_parked from memory_vector \
                 union all select project_id, memory_id, space_id, true from parked_vector",
            )
            .await?,
            receipts: all(
                at,
                "select project_id, retrieval_id, memory_ids,
                        memory_ids[1:served] || array(select c.memory_id from unnest(memory_ids, fates)
                                                        as c (memory_id, fate) where c.fate = 7) as received
                 from retrieval",
            )
            .await?,
            jobs: all(
                at,
                "select project_id, kind, subject, attempts, worker, last_error, \
                 extract(epoch from now() - run_at)::float8 as overdue, \
                 case when ready_at is null and run_at > now() then 'it is delayed' \
                      when ready_at is null then 'no worker made it ready' else 'nothing' end as obstacle \
                 from job",
            )
            .await?,
            long_transactions: sqlx::query_scalar(
                "select format('%s, %s for %s s: %s', application_name, state, \
                               extract(epoch from clock_timestamp() - xact_start)::int, left(query, 120)) \
                 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() \
                   and xact_start < clock_timestamp() - interval '3 seconds'",
            )
            .fetch_all(&mut *at)
            .await?,
            living_workers: sqlx::query_scalar::<_, Uuid>(
                "select worker from job_worker where seen_at > now() - interval '5 seconds'",
            )
            .fetch_all(&mut *at)
            .await?
            .into_iter()
            .collect(),
            kept_since: sqlx::query_as::<_, (Project, Uuid)>(KEPT_SINCE)
                .fetch_all(&mut *at)
                .await?
                .into_iter()
                .collect(),
            left_drafts: sqlx::query_scalar(
                "select count(*) from draft d join memory m on m.project_id = d.project_id and m.source_review = d.review_id",
            )
            .fetch_one(&mut *at)
            .await?,
            bodies: HashMap::new(),
        })
    }

    /// The existing memories that a run is linked to.
    pub(crate) fn linked(trace: &TraceFact, known: &HashSet<Key>) -> HashSet<Uuid> {
        let linked = trace.linked.iter().copied();
        linked.filter(|memory| known.contains(&(trace.project_id, *memory))).collect()
    }

    /// The existing memories that a run was shown, according to the run and to its receipt. A crash may have lost a
    /// receipt. A run whose retrieval was answered without a receipt (version 8) is linked to nothing.
    pub(crate) fn shown(&self, trace: &TraceFact, known: &HashSet<Key>) -> HashSet<Uuid> {
        if trace.retrieval_id.is_some_and(|id| id.get_version_num() == 8) {
            return HashSet::new();
        }
        let listed = trace.retrieved.iter().filter_map(|id| id.parse::<Uuid>().ok());
        let receipts = self.receipts.iter().filter(|receipt| {
            receipt.project_id == trace.project_id && Some(receipt.retrieval_id) == trace.retrieval_id
        });
        let received = receipts.flat_map(|receipt| receipt.received.iter().copied());
        listed.chain(received).filter(|memory| known.contains(&(trace.project_id, *memory))).collect()
    }

    /// The ids of all memories, including retired ones, and erased ones, of which only numbers are left.
    pub(crate) fn memory_keys(&self) -> HashSet<Key> {
        let erased = self.stats.iter().filter(|stat| stat.status == ERASED);
        let erased = erased.map(|stat| (stat.project_id, stat.memory_id));
        self.memories.iter().map(|memory| (memory.project_id, memory.memory_id)).chain(erased).collect()
    }

    /// Whether a run is so old that it need not be there.
    pub(crate) fn is_expired(&self, project: Project, trace: Uuid) -> bool {
        self.kept_since.get(&project).is_some_and(|since| trace < *since)
    }

    /// The ids of deleted and erased runs.
    pub(crate) fn erased_traces(&self) -> HashSet<Key> {
        let erased = self.traces.iter().filter(|trace| trace.erased);
        erased.map(|trace| (trace.project_id, trace.trace_id)).collect()
    }
}

async fn all<T>(at: &mut PgConnection, statement: &'static str) -> anyhow::Result<Vec<T>>
where
    T: for<'r> FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    Ok(sqlx::query_as(statement).fetch_all(at).await?)
}
