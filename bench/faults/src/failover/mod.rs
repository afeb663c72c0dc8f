//! Failover of Postgres under Patroni, with Reflect behind HAProxy: the primary is killed, is cut off from etcd, or hands over,
//! under load. With a synchronous standby nothing is lost. With an asynchronous one, exactly what Postgres reports.

mod asynchronous;
mod cluster;
mod lost_log;
mod manual;
mod member;
mod partition;
mod synchronous;
mod tools;
mod watch;

use std::collections::HashSet;
use std::time::Duration;

use anyhow::ensure;
use cluster::PatroniCluster;
use tokio::time::{Instant, sleep};
use watch::Seen;

use crate::load::{Kind, Load};

pub(crate) use asynchronous::run as run_asynchronous;
pub(crate) use manual::run as run_manual;
pub(crate) use partition::run as run_partition;
pub(crate) use synchronous::run as run_synchronous;

/// How long clients work before each fault.
const LOAD: Duration = Duration::from_secs(3);
/// For how long standbys receive nothing before the primary is killed.
const BEHIND: Duration = Duration::from_secs(1);

/// Lets clients work for a while.
async fn warm_up(load: &Load) -> anyhow::Result<()> {
    load.recovered(Instant::now()).await?;
    sleep(LOAD).await;
    Ok(())
}

/// Kills the primary when its standbys have received nothing for a while. Returns it, its successor, and the time until the first
/// write was acknowledged that began after the kill.
async fn kill_primary(
    cluster: &mut PatroniCluster,
    load: &Load,
) -> anyhow::Result<((usize, usize), Duration)> {
    let old = cluster.wait_until_whole().await?;
    cluster.members[old].replication.act(crate::proxy::Action::Abandon);
    sleep(BEHIND).await;
    let killed_at = Instant::now();
    cluster.members[old].kill().await?;
    let new = cluster.wait_for_primary(&HashSet::from([old])).await?;
    load.succeeds(Kind::Record, killed_at).await?;
    Ok(((old, new), killed_at.elapsed()))
}

/// Fails if two members accepted writes at the same time, or if a server was ready to write while none did. Returns a note.
fn check(seen: &Seen) -> anyhow::Result<String> {
    let Seen { two_primaries, wrongly_ready, ready, not_ready } = seen;
    ensure!(*two_primaries == 0, "two members accepted writes at the same time, {two_primaries} times");
    ensure!(*wrongly_ready == 0, "/ready/write was 200 without a primary, {wrongly_ready} times");
    ensure!(*ready > 0 && *not_ready > 0, "/ready/write was 200 {ready} times and not 200 {not_ready} times");
    Ok(format!("/ready/write {ready} × 200 with a primary, 0 × 200 without one, {not_ready} × not ready"))
}
