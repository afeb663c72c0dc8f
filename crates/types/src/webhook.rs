//! Webhooks: the events that a project can send, and the states of a delivery.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::outcome::{UnknownWord, words};

macro_rules! event_types {
    ($($(#[$doc:meta])* $variant:ident = $bit:literal: $word:literal),+ $(,)?) => {
        /// The type of an event that an endpoint can receive.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum WebhookEventType { $($(#[$doc])* $variant),+ }

        impl WebhookEventType {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Their names, for messages.
            pub const EXPECTED: &'static str = concat!("one of", $(" ", $word),+);

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The stored number: one bit, so that a set of types is one number.
            pub const fn bit(self) -> i32 {
                match self { $(Self::$variant => $bit),+ }
            }
        }

        impl FromStr for WebhookEventType {
            type Err = UnknownWord;
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(UnknownWord::new("event type", word, Self::EXPECTED)),
                }
            }
        }
    };
}

event_types! {
    /// Runs wait for a review.
    ReviewNeeded = 1: "review.needed",
    /// A memory was created.
    MemoryCreated = 2: "memory.created",
    /// A memory was put into quarantine.
    MemoryQuarantined = 4: "memory.quarantined",
    /// The health of the learning loop changed.
    HealthChanged = 8: "health.changed",
    /// The judge was stopped, because it disagrees with people.
    JudgeStopped = 16: "judge.stopped",
}

impl WebhookEventType {
    /// The type with this stored number.
    pub fn from_bit(bit: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.bit() == bit)
    }

    /// The types in a stored set. Those of a newer version are left out.
    pub fn of_set(set: i32) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|known| set & known.bit() != 0).collect()
    }

    /// The set of these types as it is stored.
    pub fn set(types: &[Self]) -> i32 {
        types.iter().fold(0, |set, known| set | known.bit())
    }
}

/// What a delivery sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveredType {
    /// A test of the endpoint.
    Test,
    /// An event.
    Event(WebhookEventType),
    /// An event of a type that only a newer version knows.
    Newer,
}

impl DeliveredType {
    /// The stored number of a test.
    pub const TEST: i32 = 0;

    /// The type with this stored number.
    pub fn from_bit(bit: i32) -> Self {
        match bit {
            Self::TEST => Self::Test,
            _ => WebhookEventType::from_bit(bit).map_or(Self::Newer, Self::Event),
        }
    }

    /// The event. `None` for a test and for a newer type.
    pub const fn event(self) -> Option<WebhookEventType> {
        match self {
            Self::Event(event) => Some(event),
            Self::Test | Self::Newer => None,
        }
    }

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Test => "webhook.test",
            Self::Event(event) => event.as_str(),
            Self::Newer => "unknown",
        }
    }
}

impl fmt::Display for WebhookEventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for WebhookEventType {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for WebhookEventType {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(from)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "openapi")]
mod openapi {
    use utoipa::openapi::RefOr;
    use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

    impl utoipa::ToSchema for super::WebhookEventType {}

    impl utoipa::PartialSchema for super::WebhookEventType {
        fn schema() -> RefOr<Schema> {
            let names = super::WebhookEventType::ALL.iter().map(|known| known.as_str());
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(names))
                .description(Some("The type of an event that an endpoint can receive."))
                .into()
        }
    }
}

words! {
    /// The state of a delivery.
    DeliveryState as "delivery state", expected "waiting, delivered or failed" {
        /// It waits for its first or next attempt, or for an earlier delivery about the same subject.
        Waiting = 0: "waiting",
        /// The receiver accepted it.
        Delivered = 1: "delivered",
        /// It was tried for a day and is not tried again.
        Failed = 2: "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_own_bit_and_name() {
        for known in WebhookEventType::ALL {
            assert_eq!(WebhookEventType::from_bit(known.bit()), Some(*known));
            assert_eq!(known.as_str().parse(), Ok(*known));
            assert_eq!(serde_json::to_value(known).unwrap(), known.as_str());
        }
        let all = WebhookEventType::set(WebhookEventType::ALL);
        assert_eq!(all, 31);
        assert_eq!(WebhookEventType::of_set(all | (1 << 20)), WebhookEventType::ALL);
        assert!("trace.created".parse::<WebhookEventType>().is_err());
    }

    #[test]
    fn a_type_of_a_newer_version_is_not_a_test() {
        assert_eq!(DeliveredType::from_bit(0), DeliveredType::Test);
        assert_eq!(DeliveredType::from_bit(2), DeliveredType::Event(WebhookEventType::MemoryCreated));
        assert_eq!(DeliveredType::from_bit(1 << 20), DeliveredType::Newer);
    }
}
