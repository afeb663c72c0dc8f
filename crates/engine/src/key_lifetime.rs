//! How long keys live, and from when on callers are warned that a key expires. Pure rules.

use chrono::{DateTime, Days, TimeDelta, Utc};
use reflect_store::KeyFacts;

use crate::error::EngineError;

/// The last second of the year 9999. Clients cannot read a year of five digits.
const LAST_SECOND: i64 = 253_402_300_799;

/// The lifetime of new keys in this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyLifetime {
    /// The number of days if the request names none. 0: no expiry.
    pub default_days: u32,
    /// The largest number of days. 0: no limit.
    pub max_days: u32,
}

impl Default for KeyLifetime {
    fn default() -> Self {
        Self { default_days: 90, max_days: 365 }
    }
}

/// When a new key should expire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KeyExpiry {
    /// After the default lifetime.
    #[default]
    Default,
    /// After this many days. 0: never.
    Days(u32),
    /// At this time.
    At(DateTime<Utc>),
}

impl KeyLifetime {
    /// When a key expires. `creator` is the expiry of the key that creates it; the new key does not outlive it.
    pub(crate) fn expiry(
        self,
        asked: KeyExpiry,
        creator: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Option<DateTime<Utc>>, EngineError> {
        let after = |days: u32| now.checked_add_days(Days::new(u64::from(days)));
        let longest = if self.max_days == 0 { None } else { after(self.max_days) };
        let latest = longest.into_iter().chain(creator).min();
        let at = match asked {
            KeyExpiry::Default if self.default_days == 0 => return Ok(latest),
            KeyExpiry::Default => return Ok(after(self.default_days).into_iter().chain(latest).min()),
            KeyExpiry::Days(0) => None,
            KeyExpiry::Days(days) => {
                let last = DateTime::from_timestamp(LAST_SECOND, 0);
                after(days).into_iter().chain(last).min()
            }
            KeyExpiry::At(at) => Some(at),
        };
        if at.is_some_and(|at| at <= now) {
            return Err(EngineError::invalid("expires_at", "must lie in the future"));
        }
        let is_too_late =
            |limit: Option<DateTime<Utc>>| limit.is_some_and(|limit| at.is_none_or(|at| at > limit));
        if is_too_late(longest) {
            let problem = format!(
                "must be at most {} days from now: this installation limits the lifetime of keys (--key-max-days)",
                self.max_days
            );
            return Err(EngineError::invalid("expires_at", problem));
        }
        match creator.filter(|_| is_too_late(creator)) {
            Some(creator) => Err(EngineError::Forbidden(format!(
                "a key cannot outlive the key that creates it, which expires at {}",
                shown(creator)
            ))),
            None => Ok(at),
        }
    }
}

/// The warning about a key that expires soon. The loop health uses the same time.
pub(crate) fn expiry_warning(
    name: &str,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Option<String> {
    let at = expires_at.filter(|at| *at - now < TimeDelta::days(i64::from(KeyFacts::SOON_DAYS)))?;
    let public_id = name.strip_prefix("key:").unwrap_or(name);
    let at = shown(at);
    Some(format!(
        "the API key {public_id} expires at {at}; replace it with `reflect keys rotate {public_id}`"
    ))
}

fn shown(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn day(days: u64) -> DateTime<Utc> {
        NOW + Days::new(days)
    }

    fn of(default_days: u32, max_days: u32) -> KeyLifetime {
        KeyLifetime { default_days, max_days }
    }

    #[test]
    fn a_key_expires_by_default_and_never_after_its_creator() {
        let life = KeyLifetime::default();
        assert_eq!(life.expiry(KeyExpiry::Default, None, NOW).unwrap(), Some(day(90)));
        assert_eq!(life.expiry(KeyExpiry::Default, Some(day(1)), NOW).unwrap(), Some(day(1)));
        assert_eq!(of(90, 30).expiry(KeyExpiry::Default, None, NOW).unwrap(), Some(day(30)));
        assert_eq!(of(0, 0).expiry(KeyExpiry::Default, None, NOW).unwrap(), None);
        assert_eq!(of(0, 0).expiry(KeyExpiry::Default, Some(day(1)), NOW).unwrap(), Some(day(1)));
    }

    #[test]
    fn a_later_expiry_than_allowed_is_refused() {
        let life = KeyLifetime::default();
        assert_eq!(life.expiry(KeyExpiry::Days(365), None, NOW).unwrap(), Some(day(365)));
        let wrong = [KeyExpiry::Days(366), KeyExpiry::Days(u32::MAX), KeyExpiry::Days(0), KeyExpiry::At(NOW)];
        for asked in wrong {
            assert!(matches!(life.expiry(asked, None, NOW), Err(EngineError::Invalid { .. })), "{asked:?}");
        }
        for asked in [KeyExpiry::Days(2), KeyExpiry::Days(0), KeyExpiry::At(day(2))] {
            let refused = of(90, 0).expiry(asked, Some(day(1)), NOW);
            assert!(matches!(refused, Err(EngineError::Forbidden(_))), "{asked:?}");
        }
        assert_eq!(of(90, 0).expiry(KeyExpiry::Days(0), None, NOW).unwrap(), None);
        for days in [4_000_000, u32::MAX] {
            let last = of(90, 0).expiry(KeyExpiry::Days(days), None, NOW).unwrap().unwrap();
            assert_eq!(last.to_rfc3339(), "9999-12-31T23:59:59+00:00");
        }
    }

    #[test]
    fn callers_are_warned_in_the_last_two_weeks() {
        let warned = |at: Option<DateTime<Utc>>| expiry_warning("key:abcdefgh", at, NOW);
        assert!(warned(None).is_none() && warned(Some(day(15))).is_none());
        let text = warned(Some(day(13))).unwrap();
        assert!(
            text.contains("1970-01-14 00:00 UTC") && text.contains("reflect keys rotate abcdefgh"),
            "{text}"
        );
    }
}
