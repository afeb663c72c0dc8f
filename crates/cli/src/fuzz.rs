//! Fuzz target: points in time on the command line.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reflect_fuzz::{CaseSource, FuzzTarget};

use crate::timestamp::parse_timestamp;

#[test]
fn a_time_is_one_that_every_part_can_hold() {
    let words =
        &["7d", "2h", "9999w", "s", "m", "d", "-", "+", ":", "T", "Z", "2026-11-01", "+262142-12-31", "0000"];
    let generate = |source: &mut CaseSource<'_>| match source.below(4) {
        0 => source.time(),
        1 => format!("{}{}", source.number(), source.pick_text(&["s", "m", "h", "d", "w", "y", ""])),
        _ => source.text(6),
    };
    FuzzTarget::new("times").words(words).run(generate, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let Ok(time) = parse_timestamp(text, now) else { return };

        let printed = time.to_rfc3339();
        assert!(printed.len() >= 20 && printed.as_bytes()[..4].iter().all(u8::is_ascii_digit), "{printed}");
        let again: Option<DateTime<Utc>> = parse_timestamp(&printed, now).ok();
        assert_eq!(again, Some(time), "read again");
    });
}
