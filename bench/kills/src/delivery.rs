//! Delivery of runs that the Python SDK stored on the disk: `reflect spool replay` ends at each of its places and is run
//! again. Each run must arrive once.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use anyhow::ensure;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::{Invariant, Violation};
use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::{Connection, PgConnection};
use tokio::process::Command;
use uuid::Uuid;

use crate::Arguments;
use crate::points::places;
use crate::stage::{Difference, Stage};
use crate::state::State;

const RUNS: usize = 3;
const ABORTED: i32 = 6;

/// Ends the delivery at each of its places.
pub(crate) async fn run(
    arguments: &Arguments,
    cluster: &Cluster,
    state: &mut State,
    wanted: &impl Fn(&String) -> bool,
) -> anyhow::Result<Vec<Violation>> {
    let places = places(true).into_iter().filter(|place| place.starts_with("spool-")).filter(wanted);
    let places: Vec<String> = places.collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let plan = (1, arguments.seed);
    let stage =
        Box::pin(Stage::create(cluster, &arguments.binary, "delivery", plan, &Difference::default())).await?;
    let server = stage.start(0).await?;
    let root = std::env::temp_dir().join(format!("kills-spool-{}", Uuid::now_v7().simple()));
    let base_url = format!("http://{}", server.address);
    let mut violations = Vec::new();
    for place in &places {
        let tasks: Vec<String> = (0..RUNS).map(|number| format!("{place} {number}")).collect();
        write_spool(&root, &base_url, &stage.errands.slug, &tasks)?;
        let replay = |place: Option<&str>| {
            let mut command = Command::new(&arguments.binary);
            command.args(["spool", "replay", "--base-url", &base_url, "--project", &stage.errands.slug]);
            command.env("REFLECT_API_KEY", &stage.errands.key).env("REFLECT_SPOOL_DIR", &root);
            command.kill_on_drop(true);
            if let Some(place) = place {
                command.env("REFLECT_CRASH_AT", place);
            }
            command
        };
        let ended = replay(Some(place)).output().await?;
        let said = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.signal() == Some(ABORTED), "the delivery did not end at {place}: {said}");
        state.count(&said);
        println!("ended at {place}");
        // After the acknowledgement nothing is left, which is no error either.
        let again = replay(None).output().await?;
        ensure!(again.status.success(), "the delivery failed: {}", String::from_utf8_lossy(&again.stderr));
        violations.extend(differences(&stage.database_url, place, &tasks).await?);
    }
    server.kill().await?;
    std::fs::remove_dir_all(&root)?;
    Ok(violations)
}

/// Runs that are not stored exactly once.
async fn differences(url: &str, place: &str, tasks: &[String]) -> anyhow::Result<Vec<Violation>> {
    let mut connection = PgConnection::connect(url).await?;
    let mut violations = Vec::new();
    for task in tasks {
        let stored: i64 = sqlx::query_scalar("select count(*) from trace where task = $1")
            .bind(task)
            .fetch_one(&mut connection)
            .await?;
        if stored != 1 {
            let what =
                format!("a run that was delivered and interrupted at {place} is stored {stored} times");
            violations.push(Violation::new(Invariant::I7, what));
        }
    }
    Ok(violations)
}

/// Writes a file as the Python SDK does (`_delivery/frames.py`).
fn write_spool(root: &Path, base_url: &str, project: &str, tasks: &[String]) -> anyhow::Result<()> {
    let digest = Sha256::digest(format!("{base_url}\0{project}"));
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let folder = root.join(name);
    std::fs::create_dir_all(&folder)?;
    let mut data = b"reflect-spool 1\n".to_vec();
    for task in tasks {
        let id = Uuid::now_v7().to_string();
        let body = json!({ "trace_id": id, "task": task, "trajectory": [] }).to_string();
        let mut head = b"\xf7RF\xf8\x01\x00".to_vec();
        head.extend(u16::try_from(id.len())?.to_le_bytes());
        head.extend(u32::try_from(id.len() + body.len())?.to_le_bytes());
        head.extend(1_700_000_000_000_u64.to_le_bytes());
        let payload = [id.as_bytes(), body.as_bytes()].concat();
        let mut sum = crc32fast::Hasher::new();
        sum.update(&head[4..]);
        sum.update(&payload);
        data.extend(head);
        data.extend(sum.finalize().to_le_bytes());
        data.extend(payload);
    }
    Ok(std::fs::write(folder.join(format!("{}-1-ab.seg", Uuid::now_v7())), data)?)
}
