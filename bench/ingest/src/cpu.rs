//! CPU time of processes, which stays the same on a busy machine where wall time does not.

use std::path::Path;

use anyhow::Context;

/// Clock ticks a second, on every Linux this runs on.
const TICKS: f64 = 100.0;

/// CPU seconds of a process and all its threads.
pub fn process_seconds(pid: u32) -> anyhow::Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain spaces; fields 14 and 15 of the whole are 11 and 12 after it.
    let (_, fields) = text.rsplit_once(") ").context("an unexpected form of /proc/*/stat")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / TICKS)
}

/// CPU seconds of a database cluster: its first process, the children that ended, and those that run.
pub fn cluster_seconds(data: &Path) -> anyhow::Result<f64> {
    let text = std::fs::read_to_string(data.join("postmaster.pid"))?;
    let first: u32 = text.lines().next().context("an empty postmaster.pid")?.trim().parse()?;
    let stat = std::fs::read_to_string(format!("/proc/{first}/stat"))?;
    let (_, fields) = stat.rsplit_once(") ").context("an unexpected form of /proc/*/stat")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let ended = (fields[13].parse::<f64>()? + fields[14].parse::<f64>()?) / TICKS;
    let mut total = process_seconds(first)? + ended;
    for child in std::fs::read_to_string(format!("/proc/{first}/task/{first}/children"))?.split_whitespace() {
        // A child may have ended since; its time is then among that of the ended ones next time.
        total += process_seconds(child.parse()?).unwrap_or(0.0);
    }
    Ok(total)
}
