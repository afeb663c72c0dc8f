//! Memory of processes.

use anyhow::Context;

/// A field of `/proc/PID/status` in kilobytes: `VmRSS` is what the process uses, `VmHWM` the most that it has used, `RssAnon` what
/// it shares with no file.
pub fn process_kilobytes(pid: u32, field: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kilobytes = line.and_then(|text| text.split_whitespace().next()?.parse().ok());
    kilobytes.with_context(|| format!("process {pid} has no {field}"))
}
