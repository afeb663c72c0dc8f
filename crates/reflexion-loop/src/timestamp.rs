//! Formats timestamps: `2026-11-15T10:33:28.123Z`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60;

/// RFC 3339 in UTC with milliseconds. Times before 1970 become 1970.
pub(crate) fn rfc3339(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// Year, month and day of a number of days since 1970-01-01.
///
/// Years are counted from March, so that a leap day is the last day of its year and months before it have fixed
/// lengths: 153 days for every five of them.
fn date(days: u64) -> (u64, u64, u64) {
    // 719,468 days lie between 0000-03-01 and 1970-01-01; 146,097 days are four hundred years.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_are_written_as_everybody_writes_them() {
        let written = |seconds: u64, millis: u64| {
            rfc3339(UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_millis(millis))
        };
        assert_eq!(written(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(written(951_782_400, 7), "2000-02-29T00:00:00.007Z");
        assert_eq!(written(1_709_251_199, 999), "2024-02-29T23:59:59.999Z");
        assert_eq!(written(4_102_444_800, 0), "2100-01-01T00:00:00.000Z");
        assert_eq!(written(4_107_542_400, 0), "2100-03-01T00:00:00.000Z");
    }
}
