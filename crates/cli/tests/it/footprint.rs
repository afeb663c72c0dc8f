//! The memory of an idle server, and the time of a start.

use std::time::{Duration, Instant};

use reflect_test_support::TestDb;

use crate::process::Server;

/// All resident memory. The code of a debug build is several times as large.
const LARGEST_MB: u64 = if cfg!(debug_assertions) { 80 } else { 60 };
/// Without files, which are mostly the code.
const LARGEST_ANONYMOUS_MB: u64 = 20;
/// Of processor time: 90 ms on an idle machine, up to three times as much while other processes share the caches.
const MAX_PROCESSOR_MS: u64 = 400;
const STARTS: usize = 3;
/// The kernel counts processor time in these.
const TICK_MS: u64 = 10;

fn memory_mb(pid: u32, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn processor_ms(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The fields after the name in parentheses begin with the third.
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = [14, 15].iter().map(|field| fields[field - 3].parse::<u64>().unwrap()).sum();
    ticks * TICK_MS
}

/// The best of several starts.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_server_is_small_and_starts_fast() {
    let db = TestDb::create().await;
    let (mut quickest, mut cheapest) = (Duration::MAX, u64::MAX);
    let (mut smallest, mut anonymous) = (u64::MAX, u64::MAX);
    for _ in 0..STARTS {
        let start = Instant::now();
        let server = Server::start(&db, &[]);
        assert!(server.get("/ready").starts_with("HTTP/1.1 200"));
        quickest = quickest.min(start.elapsed());
        cheapest = cheapest.min(processor_ms(server.child.id()));
        smallest = smallest.min(memory_mb(server.child.id(), "VmRSS:"));
        anonymous = anonymous.min(memory_mb(server.child.id(), "RssAnon:"));
        server.signal("TERM");
        assert_eq!(server.end().0, Some(0));
    }
    println!(
        "idle RSS: {smallest} MB ({anonymous} MB without files), start to ready: {} ms, {cheapest} ms of processor time",
        quickest.as_millis()
    );
    assert!(smallest <= LARGEST_MB, "{smallest} MB");
    assert!(anonymous <= LARGEST_ANONYMOUS_MB, "{anonymous} MB without files");
    assert!(cheapest <= MAX_PROCESSOR_MS, "{cheapest} ms of processor time");
}
