//! Formats times, sizes and counts for people.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

/// The age of a timestamp: `4 m`, `3 h`, `12 d`.
pub(crate) fn age(at: DateTime<Utc>) -> String {
    let ago = SystemTime::now().duration_since(at.into()).unwrap_or_default();
    span(ago)
}

/// A duration in its largest unit.
pub(crate) fn span(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} m", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// A size in its largest unit.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// `1 run`, `2 runs`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_their_largest_unit() {
        let spans = [59, 60, 7_199, 172_799, 172_800].map(|seconds| span(Duration::from_secs(seconds)));
        assert_eq!(spans, ["59 s", "1 m", "1 h", "47 h", "2 d"]);
        assert_eq!([999, 1_500, 1_250_000].map(size), ["999 B", "1 kB", "1.2 MB"]);
    }
}
