//! A move of a project to another database: its export and import end at each of their places and are run again.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::{Invariant, Violation};
use reflect_store::{MigrationSettings, Store};
use tokio::process::Command;
use uuid::Uuid;

use crate::Arguments;
use crate::points::places;
use crate::stage::{Difference, Stage};
use crate::state::State;

/// How long the project that is moved is used before.
const USE: Duration = Duration::from_secs(4);
const ABORTED: i32 = 6;

/// A command with its database.
struct Program<'a> {
    binary: &'a Path,
    database_url: &'a str,
}

impl Program<'_> {
    async fn run(&self, arguments: &[&str], place: Option<&str>) -> anyhow::Result<Output> {
        let mut command = Command::new(self.binary);
        command.args(arguments).env("REFLECT_DATABASE_URL", self.database_url).kill_on_drop(true);
        if let Some(place) = place {
            command.env("REFLECT_CRASH_AT", place);
        }
        Ok(command.output().await?)
    }

    /// Runs the command, which must end at the place.
    async fn end_at(&self, arguments: &[&str], place: &str, state: &mut State) -> anyhow::Result<()> {
        let output = self.run(arguments, Some(place)).await?;
        let said = String::from_utf8_lossy(&output.stderr);
        let ended = output.status.signal() == Some(ABORTED);
        ensure!(ended, "`reflect {}` did not end at {place}: {} {said}", arguments.join(" "), output.status);
        state.count(&said);
        println!("ended at {place}");
        Ok(())
    }

    /// Runs the command. What it says if it fails.
    async fn problem(&self, arguments: &[&str]) -> anyhow::Result<Option<String>> {
        let output = self.run(arguments, None).await?;
        let said = || String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((!output.status.success()).then(said))
    }
}

/// Ends an export and an import at each of their places. An import compares everything with the pack at its end.
pub(crate) async fn run(
    arguments: &Arguments,
    cluster: &Cluster,
    state: &mut State,
    wanted: &impl Fn(&String) -> bool,
) -> anyhow::Result<Vec<Violation>> {
    let places: Vec<String> = places(true).into_iter().filter(|place| !place.starts_with("spool-")).collect();
    let places: Vec<String> = places.into_iter().filter(wanted).collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let plan = (1, arguments.seed);
    let mut stage =
        Box::pin(Stage::create(cluster, &arguments.binary, "moved", plan, &Difference::default())).await?;
    let load = stage.load();
    let server = stage.start(0).await?;
    tokio::time::sleep(USE).await;
    server.kill().await?;
    let mut violations = Box::pin(stage.settle(load)).await?;

    let folder = std::env::temp_dir().join(format!("kills-{}", Uuid::now_v7().simple()));
    std::fs::create_dir_all(&folder)?;
    let here = Program { binary: &arguments.binary, database_url: &stage.database_url };
    let whole = folder.join("whole");
    let whole = whole.to_str().context("a path")?;
    let export = |to: &str| ["export", "--project", "one", "--to", to].map(str::to_owned).to_vec();
    for (number, place) in places.iter().enumerate() {
        let words = match place.starts_with("export-") {
            true => {
                let to = folder.join(number.to_string());
                export(to.to_str().context("a path")?)
            }
            false => continue,
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        here.end_at(&words, place, state).await?;
        // A manifest that is on the disk makes the pack whole.
        let is_whole = place == "export-manifest:after";
        if let Some(problem) = here.problem(&words).await?.filter(|_| !is_whole) {
            violations.push(lost(place, &problem));
        }
        violations.extend(Box::pin(imported(arguments, cluster, place, words[4], None, state)).await?);
    }
    let words = export(whole);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    ensure!(here.problem(&words).await?.is_none(), "the project cannot be exported");
    for place in places.iter().filter(|place| place.starts_with("import-")) {
        violations.extend(Box::pin(imported(arguments, cluster, place, whole, Some(place), state)).await?);
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(violations)
}

/// Imports a pack into a fresh database, ending once at the place. Then the project must be usable.
async fn imported(
    arguments: &Arguments,
    cluster: &Cluster,
    name: &str,
    pack: &str,
    place: Option<&String>,
    state: &mut State,
) -> anyhow::Result<Option<Violation>> {
    let url = cluster.database(&format!("import_{}", name.replace(['-', ':'], "_"))).await?;
    Store::migrate(&MigrationSettings { url: url.clone().into(), hash_partitions: 4, partition_days: 30 })
        .await?;
    let there = Program { binary: &arguments.binary, database_url: &url };
    let words = ["import", "--from", pack];
    if let Some(place) = place {
        there.end_at(&words, place, state).await?;
    }
    // After the last commit, the import is done although its process did not say so.
    let is_done = place.is_some_and(|place| place == "import-finish:after");
    if let Some(problem) = there.problem(&words).await?.filter(|_| !is_done) {
        return Ok(Some(lost(name, &problem)));
    }
    let problem = there.problem(&["keys", "create", "--label", "x", "--project", "one"]).await?;
    Ok(problem.map(|problem| lost(name, &problem)))
}

fn lost(place: &str, problem: &str) -> Violation {
    Violation::new(Invariant::I1, format!("a move that ended at {place} cannot be finished: {problem}"))
}
