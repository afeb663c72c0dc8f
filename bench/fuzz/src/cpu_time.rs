//! CPU time of the present thread, so that a busy machine does not look like slow code.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The CPU time that this thread has used. Wall-clock time where the system does not tell.
pub(crate) fn used() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.and_then(|text| text.split(' ').next()?.parse().ok());
    used.map_or_else(|| START.elapsed(), Duration::from_nanos)
}
