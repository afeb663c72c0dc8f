//! What the database holds, read in one snapshot: the auditor works on a picture that does not move.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use sqlx::{Connection, Executor, FromRow, PgConnection};
use uuid::Uuid;

/// The number of a project, as every table has it.
pub(crate) type Project = i32;
/// A row that belongs to a project, by its id.
pub(crate) type Key = (Project, Uuid);

/// A project and where its memories are placed.
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
}

/// How far a run has come.
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

/// A verdict, live or not.
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

/// A memory.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct MemoryFact {
    pub(crate) project_id: Project,
    pub(crate) memory_id: Uuid,
    pub(crate) source_review: Option<Uuid>,
    pub(crate) source_trace: Option<Uuid>,
}

/// Where a memory stands.
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
}

/// A memory's place in one space.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct VectorFact {
    pub(crate) project_id: Project,
    pub(crate) memory_id: Uuid,
    pub(crate) space_id: i16,
}

/// What was served under a receipt.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct ReceiptFact {
    pub(crate) project_id: Project,
    pub(crate) retrieval_id: Uuid,
    pub(crate) memory_ids: Vec<Uuid>,
    pub(crate) served: i32,
}

/// A job.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct JobFact {
    pub(crate) id: i64,
    pub(crate) key: Option<String>,
    pub(crate) attempts: i16,
    pub(crate) max_attempts: i16,
    pub(crate) locked_by: Option<String>,
    /// Seconds since it fell due; less than 0 when it still has to wait.
    pub(crate) overdue: f64,
    pub(crate) last_error: Option<String>,
    /// What keeps workers from taking it, as far as its row and that of its queue say.
    pub(crate) obstacle: String,
}

/// A named queue that is held by a worker.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct HeldQueueFact {
    pub(crate) queue_name: String,
    pub(crate) locked_by: String,
}

/// Everything that the auditor looks at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub(crate) projects: Vec<ProjectFact>,
    pub(crate) traces: Vec<TraceFact>,
    pub(crate) states: Vec<StateFact>,
    pub(crate) reviews: Vec<ReviewFact>,
    pub(crate) events: Vec<EventFact>,
    pub(crate) memories: Vec<MemoryFact>,
    pub(crate) stats: Vec<StatFact>,
    pub(crate) vectors: Vec<VectorFact>,
    pub(crate) receipts: Vec<ReceiptFact>,
    pub(crate) jobs: Vec<JobFact>,
    pub(crate) held_queues: Vec<HeldQueueFact>,
    /// Sessions whose transaction has been open for seconds: rows that they lock are passed over by the queue.
    pub(crate) long_transactions: Vec<String>,
    /// Workers that have been heard of lately.
    pub(crate) living_workers: HashSet<String>,
    /// Trajectories of runs as they read back, or why they do not. Fetched apart, for the runs that
    /// were acknowledged.
    pub(crate) bodies: HashMap<Uuid, Result<Value, String>>,
    /// Reflections that are kept although their memory is there.
    pub(crate) left_drafts: i64,
}

impl Facts {
    /// Reads it all, as the owner of the tables, whom no row-level security hides anything from.
    pub(crate) async fn read(database_url: &str) -> anyhow::Result<Self> {
        let mut connection = PgConnection::connect(database_url).await?;
        let at = &mut connection;
        at.execute("begin isolation level repeatable read read only").await?;
        Ok(Self {
            projects: all(at, "select project_id, slug, write_spaces from project").await?,
            traces: all(
                at,
                "select project_id, trace_id, task, metadata, retrieved, retrieval_id, linked from trace",
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
                 expected, credited from utility_event order by seq",
            )
            .await?,
            memories: all(at, "select project_id, memory_id, source_review, source_trace from memory").await?,
            stats: all(
                at,
                "select project_id, memory_id, q, reviews, passes, credit, evidence, status from memory_stat",
            )
            .await?,
            vectors: all(at, "select project_id, memory_id, space_id from memory_vector").await?,
            receipts: all(at, "select project_id, retrieval_id, memory_ids, served from retrieval").await?,
            jobs: all(
                at,
                "select j.id, j.key, j.attempts, j.max_attempts, j.locked_by, j.last_error, \
                 extract(epoch from now() - j.run_at)::float8 as overdue, \
                 case when not j.is_available then 'not available' \
                      when j.job_queue_id is not null and q.id is null then 'its queue is gone' \
                      when not q.is_available then 'its queue is held' else 'nothing' end as obstacle \
                 from reflect_jobs._private_jobs j \
                 left join reflect_jobs._private_job_queues q on q.id = j.job_queue_id",
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
            held_queues: all(
                at,
                "select queue_name, locked_by from reflect_jobs._private_job_queues where locked_by is not null",
            )
            .await?,
            living_workers: sqlx::query_scalar::<_, String>(
                "select id from reflect_jobs._private_workers where last_heartbeat_at > now() - interval '5 seconds'",
            )
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

    /// The memories that a run is linked to, as far as they are there.
    pub(crate) fn linked(trace: &TraceFact, known: &HashSet<Key>) -> HashSet<Uuid> {
        let linked = trace.linked.iter().copied();
        linked.filter(|memory| known.contains(&(trace.project_id, *memory))).collect()
    }

    /// The memories that a run was shown, by its own word and by its receipt, as far as they are there. A
    /// receipt may have been lost in a crash.
    pub(crate) fn shown(&self, trace: &TraceFact, known: &HashSet<Key>) -> HashSet<Uuid> {
        let listed = trace.retrieved.iter().filter_map(|id| id.parse::<Uuid>().ok());
        let receipts = self.receipts.iter().filter(|receipt| {
            receipt.project_id == trace.project_id && Some(receipt.retrieval_id) == trace.retrieval_id
        });
        let served = receipts.flat_map(|receipt| {
            receipt.memory_ids.iter().take(usize::try_from(receipt.served).unwrap_or(0)).copied()
        });
        listed.chain(served).filter(|memory| known.contains(&(trace.project_id, *memory))).collect()
    }

    /// The ids of all memories, retired ones too.
    pub(crate) fn memory_keys(&self) -> HashSet<Key> {
        self.memories.iter().map(|memory| (memory.project_id, memory.memory_id)).collect()
    }
}

async fn all<T>(at: &mut PgConnection, statement: &'static str) -> anyhow::Result<Vec<T>>
where
    T: for<'r> FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    Ok(sqlx::query_as(statement).fetch_all(at).await?)
}
