//! CPU time of processes. Unlike wall-clock time, it does not depend on other load.

use std::path::Path;

use anyhow::Context;

/// Clock ticks per second on Linux.
const TICKS: f64 = 100.0;

/// CPU seconds of a process with all its threads.
pub fn process_seconds(pid: u32) -> anyhow::Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain spaces. Fields 14 and 15 are at index 11 and 12 after it.
    let (_, fields) = text.rsplit_once(") ").context("an unexpected form of /proc/*/stat")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / TICKS)
}

/// CPU seconds of a database cluster: its main process, ended children, and running children.
pub fn cluster_seconds(data: &Path) -> anyhow::Result<f64> {
    let text = std::fs::read_to_string(data.join("postmaster.pid"))?;
    let first: u32 = text.lines().next().context("an empty postmaster.pid")?.trim().parse()?;
    let stat = std::fs::read_to_string(format!("/proc/{first}/stat"))?;
    let (_, fields) = stat.rsplit_once(") ").context("an unexpected form of /proc/*/stat")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let ended = (fields[13].parse::<f64>()? + fields[14].parse::<f64>()?) / TICKS;
    let mut total = process_seconds(first)? + ended;
    for child in std::fs::read_to_string(format!("/proc/{first}/task/{first}/children"))?.split_whitespace() {
        // A child may have ended in the meantime. Its time then counts among the ended children.
        total += process_seconds(child.parse()?).unwrap_or(0.0);
    }
    Ok(total)
}
