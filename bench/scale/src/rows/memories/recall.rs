//! Recall: which of the true nearest memories are among the candidates that the product considers, read from its receipts.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Context;
use reflect_bench_query::server::Server;
use serde_json::Value;
use uuid::Uuid;

use crate::client::{Client, content};
use crate::figure::Figure;
use crate::real_vectors::Question;
use crate::rows::queries::{Filled, PROJECT, path, query};
use crate::stage::Stage;
use crate::statements;

/// The number of candidates of a query with the default limit.
pub(super) const POOL: i64 = 40;
/// Only a scan of all rows is exact whatever indexes there are.
const EXACT: [(&str, &str); 5] = [
    ("enable_indexscan", "off"),
    ("enable_indexonlyscan", "off"),
    ("enable_bitmapscan", "off"),
    ("enable_nestloop", "off"),
    ("jit", "off"),
];
/// How often a receipt is looked for, if it is stored after the answer.
const LOOKS: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);
/// Connections report what they did to the statistics when they close.
const STATISTICS: Duration = Duration::from_millis(300);

/// The recall of some questions.
#[derive(Debug)]
pub(super) struct Recall {
    /// The share of the true nearest memories that were considered.
    pub(super) share: f64,
    /// The share of the worst question.
    pub(super) lowest: f64,
    /// Rows that scans of the covering index fetched from the table, per query.
    pub(super) heap_fetches: f64,
    failed: usize,
    asked: usize,
}

impl Recall {
    pub(super) fn measure(
        stage: &Stage,
        filled: &Filled,
        questions: &[Question],
        shop: Option<usize>,
    ) -> anyhow::Result<Self> {
        let mut connection = stage.block_on(statements::connect_with(&filled.database_url, &EXACT))?;
        let before = stage.block_on(statements::heap_fetches(&mut connection))?;
        let considered = {
            let server = filled.serve(questions)?;
            stage.block_on(considered(&server, questions, shop))?
        };
        std::thread::sleep(STATISTICS);
        stage.block_on(async {
            let fetched = statements::heap_fetches(&mut connection).await? - before;
            let mut shares = Vec::with_capacity(questions.len());
            for (question, considered) in questions.iter().zip(&considered) {
                let place = (filled.bank.first_project, filled.bank.space);
                let exact = statements::exact(&mut connection, place, &question.vector, POOL, shop).await?;
                let found = considered.as_ref().map_or(0, |considered| {
                    exact.iter().filter(|memory| considered.contains(*memory)).count()
                });
                shares.push(found as f64 / exact.len().max(1) as f64);
            }
            Ok(Self {
                share: shares.iter().sum::<f64>() / shares.len().max(1) as f64,
                lowest: shares.iter().copied().fold(1.0, f64::min),
                heap_fetches: fetched as f64 / questions.len() as f64,
                failed: considered.iter().filter(|one| one.is_none()).count(),
                asked: questions.len(),
            })
        })
    }

    /// A figure if some questions were not answered.
    pub(super) fn failures(&self) -> Option<Figure> {
        let measured = format!("{} of {}", self.failed, self.asked);
        (self.failed > 0).then(|| Figure::stated("queries without an answer", measured, "0", false))
    }
}

/// The candidates of each question. `None` if it was not answered.
async fn considered(
    server: &Server,
    questions: &[Question],
    shop: Option<usize>,
) -> anyhow::Result<Vec<Option<HashSet<Uuid>>>> {
    let mut client = Client::open(&server.address, &server.key).await?;
    let mut all = Vec::new();
    for number in 0..questions.len() {
        let answer = client.post(&path(PROJECT), &query(questions, number, shop)).await;
        let Some(answer) = answer.ok().filter(|answer| answer.status == 200) else {
            all.push(None);
            continue;
        };
        let receipt = answer.header("x-retrieval-id").context("an answer without a receipt")?.to_owned();
        all.push(Some(receipt_of(&mut client, &receipt).await?));
    }
    Ok(all)
}

async fn receipt_of(client: &mut Client, receipt: &str) -> anyhow::Result<HashSet<Uuid>> {
    let path = format!("/v1/projects/{PROJECT}/retrievals/{receipt}");
    let mut answer = client.get(&path).await?;
    for _ in 0..LOOKS {
        if answer.status != 404 {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        answer = client.get(&path).await?;
    }
    let receipt = content(answer, &[200])?;
    let considered = receipt["considered"].as_array().context("a receipt without candidates")?;
    let id =
        |one: &Value| -> anyhow::Result<Uuid> { Ok(one["memory_id"].as_str().context("no id")?.parse()?) };
    considered.iter().map(id).collect()
}
