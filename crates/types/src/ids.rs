//! All id types. An id is a UUIDv7: it is ordered by time, and rows are partitioned and paged by it.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How old an id made by a client may be. Runs that were spooled during a long outage are accepted.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How far ahead of the server a client's clock may be.
const NEWEST: Duration = Duration::from_secs(5 * 60);

/// Why an id made by a client was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClientIdError {
    /// Other versions have no time to partition by.
    #[error("must be a UUID of version 7")]
    NotVersion7,
    /// There is no partition for the time of the id.
    #[error("its time must lie between 30 days ago and 5 minutes ahead")]
    OutsideWindow,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new id, later than every id this process made before.
            pub fn generate() -> Self {
                Self(Uuid::now_v7())
            }

            /// The id with this UUID of any version.
            pub const fn from_uuid(id: Uuid) -> Self {
                Self(id)
            }

            /// The UUID.
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }

            /// When it was made, by the clock of the process that made it. `None` for ids without a time.
            pub fn made_at(self) -> Option<SystemTime> {
                let (seconds, nanos) = self.0.get_timestamp()?.to_unix();
                SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::from_str(text).map(Self)
            }
        }
    )+};
}

ids! {
    /// One run of an agent.
    TraceId,
    /// One verdict on a trace.
    ReviewId,
    /// One stored reflection.
    MemoryId,
    /// The id of a lesson: mostly that of the situation that founded it.
    LessonId,
    /// The receipt of one retrieval.
    RetrievalId,
    /// One outcome that another system reported.
    SignalId,
    /// One API key (not its secret).
    KeyId,
    /// One person who may sign in.
    MemberId,
    /// One browser that is signed in (not what it keeps).
    SessionId,
}

impl TraceId {
    /// Accepts an id that a client made, if its time is recent.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// use reflect_types::TraceId;
    ///
    /// let mine = TraceId::generate().as_uuid();
    /// assert!(TraceId::from_client(mine, SystemTime::now()).is_ok());
    /// ```
    pub fn from_client(id: Uuid, now: SystemTime) -> Result<Self, ClientIdError> {
        if id.get_version_num() != 7 {
            return Err(ClientIdError::NotVersion7);
        }
        let made = Self(id).made_at().ok_or(ClientIdError::NotVersion7)?;
        if made + OLDEST < now || made > now + NEWEST {
            return Err(ClientIdError::OutsideWindow);
        }
        Ok(Self(id))
    }
}

impl From<MemoryId> for LessonId {
    fn from(founder: MemoryId) -> Self {
        Self(founder.0)
    }
}

impl RetrievalId {
    /// The same id as a UUID of version 8: the receipt of this retrieval could not be stored. A client sends it back
    /// like any other id, and every process then knows that there is no receipt to wait for.
    #[must_use]
    pub fn unrecorded(self) -> Self {
        let mut bytes = self.0.into_bytes();
        bytes[6] = (bytes[6] & 0x0f) | 0x80;
        Self(Uuid::from_bytes(bytes))
    }

    /// Whether the response with this id said that there is no receipt.
    pub fn is_unrecorded(self) -> bool {
        self.0.get_version_num() == 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Timestamp;

    fn made_at(now: SystemTime, offset_seconds: i64) -> Uuid {
        let base = now.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let seconds = base.checked_add_signed(offset_seconds).unwrap();
        Uuid::new_v7(Timestamp::from_unix(uuid::NoContext, seconds, 0))
    }

    #[test]
    fn only_ids_of_the_last_month_are_accepted() {
        let now = SystemTime::now();
        let day = 24 * 60 * 60;

        assert!(TraceId::from_client(made_at(now, -29 * day), now).is_ok());
        assert!(TraceId::from_client(made_at(now, 4 * 60), now).is_ok());
        assert_eq!(TraceId::from_client(made_at(now, -31 * day), now), Err(ClientIdError::OutsideWindow));
        assert_eq!(TraceId::from_client(made_at(now, 6 * 60), now), Err(ClientIdError::OutsideWindow));
    }

    #[test]
    fn other_versions_are_refused() {
        assert_eq!(TraceId::from_client(Uuid::nil(), SystemTime::now()), Err(ClientIdError::NotVersion7));
    }

    #[test]
    fn an_id_without_a_receipt_differs_from_every_other_id_and_is_a_valid_uuid() {
        let id = RetrievalId::generate();
        let unrecorded = id.unrecorded();

        assert!(!id.is_unrecorded() && id.made_at().is_some());
        assert!(unrecorded.is_unrecorded() && unrecorded.made_at().is_none());
        assert_eq!(unrecorded.to_string().parse::<RetrievalId>().ok(), Some(unrecorded));
        assert_eq!(unrecorded.as_uuid().get_variant(), uuid::Variant::RFC4122);
        assert_eq!(unrecorded, unrecorded.unrecorded());
    }

    #[test]
    fn an_id_made_later_sorts_later() {
        let ids: Vec<TraceId> = (0..100).map(|_| TraceId::generate()).collect();
        assert!(ids.is_sorted());
    }
}
