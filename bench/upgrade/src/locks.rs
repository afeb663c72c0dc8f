//! How long statements waited for locks, from the server's log. With `log_lock_waits`, Postgres logs each wait of more than
//! `deadlock_timeout`: once after this time, with the processes that hold the lock, and at its end with the exact time.

use std::collections::{BTreeSet, HashMap};

/// The settings that make the log complete.
pub(crate) const SETTINGS: [(&str, &str); 4] = [
    ("log_lock_waits", "on"),
    ("deadlock_timeout", "5ms"),
    ("log_line_prefix", "%m|%p|"),
    // Vacuum would remove the space that makes tables large.
    ("autovacuum_naptime", "1h"),
];
/// Shorter waits are not logged.
pub(crate) const SHORTEST_MS: f64 = 5.0;

/// A wait that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wait {
    /// The server's process that waited.
    pub(crate) process: u32,
    pub(crate) milliseconds: f64,
    /// What it waited for, such as `RowExclusiveLock on relation 16400 of database 5`.
    pub(crate) lock: String,
    /// The processes that held the lock or waited before it.
    pub(crate) behind: BTreeSet<u32>,
}

/// All waits in a log, in their order.
pub(crate) fn waits(log: &str) -> Vec<Wait> {
    let mut behind: HashMap<u32, BTreeSet<u32>> = HashMap::new();
    let mut found = Vec::new();
    for line in log.lines() {
        let Some((process, text)) = split(line) else { continue };
        if let Some((holders, queue)) = queue_of(text) {
            // The processes before it in the queue delay it too.
            let before = queue.split(", ").map_while(|id| id.trim_end_matches('.').parse().ok());
            let before = before.take_while(|id: &u32| *id != process);
            let holders = holders.split(", ").filter_map(|id| id.parse().ok());
            behind.entry(process).or_default().extend(holders.chain(before));
        } else if let Some((lock, milliseconds)) = acquired(text) {
            let behind = behind.remove(&process).unwrap_or_default();
            found.push(Wait { process, milliseconds, lock, behind });
        }
    }
    found
}

/// The longest wait of another process behind one of these.
pub(crate) fn longest_behind<'a>(waits: &'a [Wait], holders: &BTreeSet<u32>) -> Option<&'a Wait> {
    let waits =
        waits.iter().filter(|wait| !holders.contains(&wait.process) && !wait.behind.is_disjoint(holders));
    waits.max_by(|one, other| one.milliseconds.total_cmp(&other.milliseconds))
}

/// The process, and the text after the level.
fn split(line: &str) -> Option<(u32, &str)> {
    let mut parts = line.splitn(3, '|');
    let (_, process, text) = (parts.next()?, parts.next()?, parts.next()?);
    Some((process.parse().ok()?, text.split_once(':')?.1.trim_start()))
}

/// `Process holding the lock: 7. Wait queue: 8, 9.`
fn queue_of(text: &str) -> Option<(&str, &str)> {
    let rest = text
        .strip_prefix("Process holding the lock: ")
        .or_else(|| text.strip_prefix("Processes holding the lock: "))?;
    rest.split_once(". Wait queue: ")
}

/// `process 8 acquired ShareLock on relation 5 of database 4 after 12.345 ms`
fn acquired(text: &str) -> Option<(String, f64)> {
    let (_, rest) = text.strip_prefix("process ")?.split_once(" acquired ")?;
    let (lock, time) = rest.rsplit_once(" after ")?;
    Some((lock.to_owned(), time.strip_suffix(" ms")?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
2026-11-20 00:00:00.000 UTC|8|LOG:  process 8 still waiting for RowShareLock on relation 5 of database 4 after 10.021 ms
2026-11-20 00:00:00.000 UTC|8|DETAIL:  Process holding the lock: 7. Wait queue: 9, 8.
2026-11-20 00:00:00.000 UTC|8|STATEMENT:  select 1
\tfrom t
2026-11-20 00:00:00.000 UTC|8|LOG:  process 8 acquired RowShareLock on relation 5 of database 4 after 53.261 ms
";

    #[test]
    fn a_wait_has_its_time_and_the_processes_before_it() {
        let waits = waits(LOG);

        assert_eq!((waits.len(), waits[0].process, waits[0].milliseconds), (1, 8, 53.261));
        assert_eq!(waits[0].behind, BTreeSet::from([7, 9]));
    }

    #[test]
    fn only_waits_behind_the_named_processes_count() {
        let waits = waits(LOG);

        assert!(longest_behind(&waits, &BTreeSet::from([9])).is_some());
        assert!(longest_behind(&waits, &BTreeSet::from([6])).is_none());
        assert!(longest_behind(&waits, &BTreeSet::from([8, 7])).is_none());
    }
}
