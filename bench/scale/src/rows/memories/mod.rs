//! A query in one large project: against its own SQL, in CPU time, by recall, with a filter, and by words.

mod against_sql;
mod recall;

use reflect_bench_query::figures::quantile;
use serde_json::Value;

use super::queries::{Asked, Filled, ask, query};
use crate::figure::{Figure, Headline, Outcome, number};
use crate::real_vectors::Question;
use crate::server_log::{Phase, ServerLog};
use crate::stage::Stage;
use against_sql::AgainstSql;
use recall::Recall;

/// A filter by this shop keeps 1 % of the memories.
const SHOP: usize = 7;
/// Up to this size the covering index is the whole search, and is the measure of it.
const SMALL: usize = 20_000;
/// From this size on a query must not cost more than a few milliseconds.
const LARGE: usize = 1_000_000;

/// How often everything is done.
#[derive(Debug, Clone, Copy)]
struct Effort {
    rounds: usize,
    requests: usize,
    warm_up: usize,
    questions: usize,
}

impl Effort {
    fn of(stage: &Stage, memories: usize) -> Self {
        let full = match memories {
            0..=SMALL => Self { rounds: 10, requests: 60, warm_up: 12, questions: 100 },
            _ if memories < LARGE => Self { rounds: 8, requests: 20, warm_up: 4, questions: 100 },
            // Ten milliseconds is the resolution of CPU time, so a round needs some tens of requests.
            _ => Self { rounds: 6, requests: 30, warm_up: 6, questions: 60 },
        };
        stage.pick(full, Self { rounds: 1, requests: 20, warm_up: 4, questions: 10 })
    }
}

pub(super) fn run(stage: &Stage, memories: usize) -> anyhow::Result<Outcome> {
    let effort = Effort::of(stage, memories);
    // The product checks a graph by questions that were asked before. Recall is measured with others.
    let (asked_before, questions) = divided(stage.vectors()?.questions(3 * effort.questions));
    let filled = Filled::make(stage, &format!("memories_{memories}"), 1, memories)?;
    let settled = filled.settle(stage, &asked_before)?;

    let mut figures = vec![Figure::info("vectors", stage.vectors()?.method())];
    if let Some(graph) = settled.graph {
        figures.push(Figure::info("exact search, before the graph", described(&settled.asked)));
        figures.push(Figure::info(format!("the graph, after {} s", number(settled.seconds)), graph));
    }
    let unfiltered = Recall::measure(stage, &filled, &questions, None)?;
    let against_sql = AgainstSql::measure(stage, &filled, &questions, effort)?;
    let (p50, p99) = (against_sql.p50.value, against_sql.p99.value);
    let (server, postgres) = (against_sql.server_cpu, against_sql.postgres_cpu);
    let most = if memories <= SMALL { 1.05 } else { 1.15 };
    figures.push(Figure::at_most("p50 / p50 of its SQL", p50, most, ""));
    figures.push(Figure::info("p99 / p99 of its SQL", number(p99)));
    figures.push(Figure::info("p50 over HTTP", format!("{} ms", number(against_sql.milliseconds))));
    let cpu = format!("{} ms server, {} ms Postgres", number(server), number(postgres));
    figures.push(Figure::info("CPU per query", cpu));
    if memories >= LARGE {
        figures.push(Figure::at_most("CPU per query, in all", server + postgres, 10.0, " ms"));
    }
    if memories <= SMALL {
        let bare = against_sql::bare_scan(stage, &filled, &questions, effort)?;
        figures
            .push(Figure::info("CPU of a bare scan of the covering index", format!("{} ms", number(bare))));
        figures.push(Figure::at_most("Postgres CPU / bare scan", postgres / bare, 1.1, ""));
    }
    figures.push(Figure::at_most(
        "heap fetches of the covering index per query",
        unfiltered.heap_fetches,
        100.0,
        "",
    ));
    figures.push(planning(stage, &filled, &questions, effort)?);
    figures.push(Figure::at_least("recall@40 against exact", unfiltered.share, 0.98, ""));
    figures.push(Figure::info("recall@40 of the worst question", number(unfiltered.lowest)));
    figures.extend(unfiltered.failures());
    figures.extend(filtered(stage, &filled, &questions, effort)?);
    figures.extend(by_words(stage, &filled, &questions, effort, memories)?);
    let headline =
        Headline { query: Some((server + postgres, unfiltered.share, memories)), ..Headline::default() };
    Ok(Outcome { figures, headline })
}

/// Two questions of three, and every third.
fn divided(questions: Vec<Question>) -> (Vec<Question>, Vec<Question>) {
    let (third, others): (Vec<_>, Vec<_>) =
        questions.into_iter().enumerate().partition(|(number, _)| number % 3 == 2);
    let questions = |some: Vec<(usize, Question)>| some.into_iter().map(|(_, question)| question).collect();
    (questions(others), questions(third))
}

/// Queries with consecutive numbers.
fn numbered(questions: &[Question], from: usize, count: usize, shop: Option<usize>) -> Vec<Value> {
    (from..from + count).map(|number| query(questions, number, shop)).collect()
}

/// Planning and execution of the statements of a query, from the log of Postgres.
fn planning(
    stage: &Stage,
    filled: &Filled,
    questions: &[Question],
    effort: Effort,
) -> anyhow::Result<Figure> {
    let server = filled.serve(questions)?;
    ask(stage, &server, &numbered(questions, 0, effort.warm_up, None))?;
    let log = stage.block_on(ServerLog::start(stage, 0))?;
    let queries = numbered(questions, effort.warm_up, effort.requests.min(20), None);
    ask(stage, &server, &queries)?;
    let excerpt = stage.block_on(log.finish(stage))?;
    let each = |phase| number(excerpt.total(phase) / queries.len() as f64);
    let (planning, execution) = (each(Phase::Planning), each(Phase::Execution));
    let measured = format!("{planning} ms planning, {execution} ms execution");
    Ok(Figure::info("statements of a query", measured))
}

/// With a filter that keeps 1 %.
fn filtered(
    stage: &Stage,
    filled: &Filled,
    questions: &[Question],
    effort: Effort,
) -> anyhow::Result<Vec<Figure>> {
    let asked = {
        let server = filled.serve(questions)?;
        ask(stage, &server, &numbered(questions, 0, effort.warm_up, Some(SHOP)))?;
        ask(stage, &server, &numbered(questions, effort.warm_up, effort.requests, Some(SHOP)))?
    };
    let questions = &questions[..questions.len().min(3 * effort.requests)];
    let recall = Recall::measure(stage, filled, questions, Some(SHOP))?;
    let mut figures = vec![
        Figure::info("with a filter that keeps 1 %", described(&asked)),
        Figure::at_least("recall@40 with that filter", recall.share, 0.95, ""),
    ];
    figures.extend(recall.failures());
    Ok(figures)
}

/// While there is no embedder.
fn by_words(
    stage: &Stage,
    filled: &Filled,
    questions: &[Question],
    effort: Effort,
    memories: usize,
) -> anyhow::Result<Vec<Figure>> {
    let server = filled.serve_by_words()?;
    ask(stage, &server, &numbered(questions, 0, effort.warm_up, None))?;
    let asked = ask(stage, &server, &numbered(questions, effort.warm_up, effort.requests, None))?;
    let mut figures = vec![Figure::info("by words, without an embedder", described(&asked))];
    // At larger sizes the cost is reported and has no target yet.
    if memories < LARGE {
        figures.push(Figure::at_most("CPU by words, in all", asked.cpu(), 50.0, " ms"));
    }
    Ok(figures)
}

fn described(asked: &Asked) -> String {
    let failed = if asked.failed > 0 { format!(", {} failed", asked.failed) } else { String::new() };
    let p50 = number(quantile(&asked.latencies, 0.5));
    format!("p50 {p50} ms, CPU {} + {} ms{failed}", number(asked.server_cpu), number(asked.postgres_cpu))
}
