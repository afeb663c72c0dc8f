//! A query over HTTP against the statements that it consists of, sent by pgbench, alternating on one database.

use reflect_bench_ingest::cpu::cluster_seconds;
use reflect_bench_query::figures::{Ratio, Round, quantile, ratio};
use reflect_bench_query::pgbench::Pgbench;
use serde_json::Value;

use super::Effort;
use super::recall::POOL;
use crate::real_vectors::Question;
use crate::rows::queries::{Filled, ask, query};
use crate::stage::Stage;
use crate::statements::{self, BARE_SCAN};

/// Each is a script of pgbench, which is prepared on each connection.
const SCRIPTS: usize = 4;
/// The cheapest plan: the covering index, planned once.
const BARE: [(&str, &str); 4] = [
    ("enable_seqscan", "off"),
    ("enable_bitmapscan", "off"),
    ("plan_cache_mode", "force_generic_plan"),
    ("jit", "off"),
];

/// Both sides of the comparison.
#[derive(Debug)]
pub(super) struct AgainstSql {
    pub(super) p50: Ratio,
    pub(super) p99: Ratio,
    /// The median over HTTP.
    pub(super) milliseconds: f64,
    /// Milliseconds of CPU per query over HTTP.
    pub(super) server_cpu: f64,
    pub(super) postgres_cpu: f64,
}

impl AgainstSql {
    pub(super) fn measure(
        stage: &Stage,
        filled: &Filled,
        questions: &[Question],
        effort: Effort,
    ) -> anyhow::Result<Self> {
        let server = filled.serve(questions)?;
        let mut asked = 0;
        // The numbers differ, and all of them select one of the first questions.
        let mut next = |count: usize| -> Vec<Value> {
            let numbers = asked..asked + count;
            asked += count;
            numbers
                .map(|number| query(questions, number * questions.len() + number % SCRIPTS, None))
                .collect()
        };
        ask(stage, &server, &next(SCRIPTS))?;
        server.flush_receipts()?;
        let vectors: Vec<Vec<f32>> =
            questions.iter().take(SCRIPTS).map(|question| question.vector.clone()).collect();
        let prepared = Pgbench::prepare(stage.pgbench.clone(), &filled.database_url, &vectors);
        let pgbench = stage.block_on(prepared)?;
        ask(stage, &server, &next(SCRIPTS * effort.warm_up))?;
        pgbench.run(0, SCRIPTS * effort.warm_up)?;

        let mut rounds = Vec::new();
        let (mut server_cpu, mut postgres_cpu) = (0.0, 0.0);
        for _ in 0..effort.rounds {
            ask(stage, &server, &next(effort.warm_up))?;
            let ours = ask(stage, &server, &next(effort.requests))?;
            server_cpu += ours.server_cpu / effort.rounds as f64;
            postgres_cpu += ours.postgres_cpu / effort.rounds as f64;
            let bare = pgbench.run(effort.warm_up, effort.requests)?;
            // pgbench reports microseconds.
            rounds.push(Round { ours: ours.latencies.iter().map(|time| time * 1e3).collect(), bare });
        }
        let all: Vec<f64> = rounds.iter().flat_map(|round| round.ours.iter().copied()).collect();
        Ok(Self {
            p50: ratio(&rounds, 0.5),
            p99: ratio(&rounds, 0.99),
            milliseconds: quantile(&all, 0.5) / 1e3,
            server_cpu,
            postgres_cpu,
        })
    }
}

/// Milliseconds of CPU of a scan of the covering index alone.
pub(super) fn bare_scan(
    stage: &Stage,
    filled: &Filled,
    questions: &[Question],
    effort: Effort,
) -> anyhow::Result<f64> {
    let bank = filled.bank;
    let count = effort.rounds * effort.requests;
    stage.block_on(async {
        let mut connection = statements::connect_with(&filled.database_url, &BARE).await?;
        let mut before = 0.0;
        for number in 0..effort.warm_up + count {
            if number == effort.warm_up {
                before = cluster_seconds(stage.data())?;
            }
            let question = &questions[number % questions.len()];
            sqlx::query(BARE_SCAN)
                .bind(bank.first_project)
                .bind(bank.space)
                .bind(&question.vector[..])
                .bind(POOL)
                .fetch_all(&mut connection)
                .await?;
        }
        Ok((cluster_seconds(stage.data())? - before) * 1e3 / count as f64)
    })
}
