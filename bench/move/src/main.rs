//! Moves a project with a history to another database, like an operator, and kills the commands: the export once and
//! the import twice, while another project is written to. Then both sides must be equal by row counts, hashes and the
//! sums of the ledger, and return the same results for the same queries. Three mutants must be detected.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

mod mutants;
mod place;
mod program;
mod seed;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Parser;
use place::Place;
use program::{Program, noted_parts};
use reflect_engine::{RetrievalQuery, Visitor};
use serde_json::Value;
use tokio::task::JoinSet;

/// The name of the project on both sides.
const SLUG: &str = "shop";

#[derive(Debug, Parser)]
struct Arguments {
    /// The number of runs of the project.
    #[arg(long, default_value_t = 10_000)]
    traces: usize,
    /// The minimum number of memories.
    #[arg(long, default_value_t = 10_000)]
    memories: usize,
    /// A project of a tenth of that size.
    #[arg(long)]
    quick: bool,
    /// The binary `reflect`.
    #[arg(long)]
    binary: PathBuf,
    /// A Postgres server on which databases can be created.
    #[arg(long)]
    server: String,
}

/// The measurements.
struct Figures {
    export: Duration,
    import: Duration,
    rows: u64,
    bytes: u64,
    kills: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let share = if arguments.quick { 10 } else { 1 };
    let folder = std::env::temp_dir().join(format!("move-project-{}", uuid::Uuid::now_v7().simple()));
    fs::create_dir_all(&folder)?;
    let here = Place::make(&arguments.server).await?;
    let there = Place::make(&arguments.server).await?;
    let spare = Place::make(&arguments.server).await?;
    let program = Program { binary: arguments.binary.clone() };
    let sizes = (arguments.traces / share, arguments.memories / share);
    let done = Box::pin(run(&program, &folder, [&here, &there, &spare], sizes)).await;
    for place in [here, there, spare] {
        place.remove().await?;
    }
    fs::remove_dir_all(&folder)?;
    let (figures, caught) = done?;
    println!(
        "move-project: {} rows, equal by count, hash and fold; export {:.1} s {:.1} MB, import {:.1} s; {} kills; {caught} of 3 \
         mutants caught",
        figures.rows,
        figures.export.as_secs_f64(),
        figures.bytes as f64 / 1e6,
        figures.import.as_secs_f64(),
        figures.kills
    );
    Ok(())
}

async fn run(
    program: &Program,
    folder: &Path,
    [here, there, spare]: [&Place; 3],
    (traces, memories): (usize, usize),
) -> anyhow::Result<(Figures, usize)> {
    let began = Instant::now();
    let seeded = seed::seed(here, SLUG, traces, memories).await?;
    println!("made {traces} traces and {memories} memories in {:.0} s", began.elapsed().as_secs_f64());
    let (busy, other) = (here.engine.clone(), here.visitor("other").await?);
    let mut writer = JoinSet::new();
    writer.spawn(seed::keep_writing(busy, other));

    let (plain, pack) = (folder.join("plain"), folder.join("pack"));
    let export = export(program, here, &plain, &pack).await?;
    if let Some(ended) = writer.try_join_next() {
        bail!("the other project could not be written to: {ended:?}");
    }
    writer.shutdown().await;
    let import = import(program, there, &pack).await?;
    let manifest = manifest(&pack)?;
    let visitor = there.visitor(SLUG).await?;
    same_answers(here, &seeded.visitor, there, &visitor, &seeded.questions).await?;
    println!("{} questions have the same answers on both sides", seeded.questions.len());

    // Creating a key added an entry to the audit log of the imported project, and queries added receipts.
    there.engine.store.project(visitor.project).receipts().flush().await;
    let number = visitor.project.number();
    there.tamper(&format!("delete from audit_entry where project_id = {number} and action = 'key.create' and created_at > '{}'",
        manifest["made_at"].as_str().context("a time")?)).await?;
    there
        .tamper(&format!(
            "delete from retrieval where project_id = {number} and created_at > '{}'",
            manifest["made_at"].as_str().context("a time")?
        ))
        .await?;
    let stage = mutants::Stage { program, pack: &pack, there, spare };
    let caught = stage.try_all().await?;
    let sum = |field: &str| -> u64 {
        let tables = manifest["tables"].as_array().into_iter().flatten();
        tables
            .flat_map(|table| table["parts"].as_array().into_iter().flatten())
            .filter_map(|part| part[field].as_u64())
            .sum()
    };
    let figures = Figures { export, import, rows: sum("rows"), bytes: sum("bytes"), kills: 3 };
    Ok((figures, caught))
}

/// Once without interruption, to measure the time; once killed and continued.
async fn export(program: &Program, here: &Place, plain: &Path, pack: &Path) -> anyhow::Result<Duration> {
    let arguments = |folder: &Path| -> anyhow::Result<[String; 5]> {
        let folder = folder.to_str().context("a path")?;
        Ok(["export", "--project", SLUG, "--to", folder].map(str::to_owned))
    };
    let (first, second) = (arguments(plain)?, arguments(pack)?);
    let (first, second) = (first.each_ref().map(String::as_str), second.each_ref().map(String::as_str));
    let (said, took) = program.succeed(&here.url, &first).await?;
    print!("{said}");
    let parts = parts_of(&manifest(plain)?);
    // A table that is read late, and that the concurrent writer does not use.
    program.kill_at("memory_version", here, &second).await?;
    ensure!(!pack.join("manifest.json").exists(), "the export was whole before it was killed");
    // An incomplete file, as a kill during a write leaves it. It must not be accepted as a part.
    fs::write(pack.join("trace/99999.jsonl.zst.unfinished"), "torn")?;
    let half = noted_parts(pack);
    let (said, _) = program.succeed(&here.url, &second).await?;
    print!("killed with {half} of {parts} parts; {said}");
    ensure!(said.contains("parts were reused"), "the export started again from the beginning");
    same_content(&manifest(plain)?, &manifest(pack)?)?;
    ensure!(!pack.join("trace/99999.jsonl.zst.unfinished").exists(), "a torn file was left in the pack");
    Ok(took)
}

/// Both packs have the same rows, except the audit log, which has an entry for each export.
fn same_content(one: &Value, other: &Value) -> anyhow::Result<()> {
    let tables = |manifest: &Value| manifest["tables"].as_array().cloned().unwrap_or_default();
    for (one, other) in tables(one).iter().zip(&tables(other)) {
        let name = &one["name"];
        ensure!(
            name == "audit_entry" || (&one["rows"], &one["digest"]) == (&other["rows"], &other["digest"]),
            "the continued export has other rows of {name}"
        );
    }
    ensure!(one["fold"] == other["fold"], "the ledger adds up to something else");
    ensure!(one["fold"]["drifted"] == 0, "utilities differ from their ledger");
    Ok(())
}

/// Killed twice and continued; then once more with another name without interruption, to measure the time.
async fn import(program: &Program, there: &Place, pack: &Path) -> anyhow::Result<Duration> {
    let folder = pack.to_str().context("a path")?;
    let arguments = ["import", "--from", folder];
    for table in ["memory_stat", "utility_event"] {
        program.kill_at(table, there, &arguments).await?;
        let usable = ["keys", "create", "--label", "x", "--project", SLUG];
        program.fail(&there.url, &usable).await.context("a project that is not whole could be used")?;
    }
    let (said, _) = program.succeed(&there.url, &arguments).await?;
    print!("killed twice; {said}");
    ensure!(said.contains("Continued an import"), "the import started again from the beginning");
    let said = program.fail(&there.url, &arguments).await?;
    ensure!(said.contains("exists"), "a project that is there was imported again: {said}");
    let (_, took) = program.succeed(&there.url, &["import", "--from", folder, "--as", "again"]).await?;
    Ok(took)
}

/// Compares the results of the same queries on both sides.
async fn same_answers(
    here: &Place,
    asks_here: &Visitor,
    there: &Place,
    asks_there: &Visitor,
    questions: &[String],
) -> anyhow::Result<()> {
    let mut served = 0;
    for task in questions {
        let question = RetrievalQuery { task: task.clone(), ..RetrievalQuery::default() };
        let answer = |recalled: reflect_engine::RetrievedMemories| {
            let memories = recalled.memories.into_iter();
            memories
                .map(|memory| (memory.row.memory_id, memory.row.reflection, memory.score.to_bits()))
                .collect::<Vec<_>>()
        };
        let one = answer(here.engine.retriever.retrieve(asks_here, &question).await?);
        let other = answer(there.engine.retriever.retrieve(asks_there, &question).await?);
        if one != other {
            bail!("{task:?} has another answer on the other side: {one:?} and {other:?}");
        }
        served += one.len();
    }
    ensure!(served > questions.len(), "hardly anything was served: nothing was shown");
    Ok(())
}

fn manifest(pack: &Path) -> anyhow::Result<Value> {
    Ok(serde_json::from_slice(&fs::read(pack.join("manifest.json"))?)?)
}

fn parts_of(manifest: &Value) -> usize {
    let tables = manifest["tables"].as_array().into_iter().flatten();
    tables.filter_map(|table| Some(table["parts"].as_array()?.len())).sum()
}
