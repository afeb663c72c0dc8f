//! The scopes, the environment and the trust level of a key.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::outcome::{UnknownWord, words};

macro_rules! scopes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        /// One permission of a key. Reviewing and writing traces are separate scopes: an agent that records runs need not
        /// be able to review them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope { $($(#[$doc])* $variant),+ }

        impl Scope {
            /// All scopes; a master key has them all.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Their names, for messages.
            pub const EXPECTED: &'static str = concat!("one of", $(" ", $word),+);

            /// The scope's name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl FromStr for Scope {
            type Err = UnknownWord;
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(UnknownWord::new("scope", word, Self::EXPECTED)),
                }
            }
        }
    };
}

scopes! {
    /// Retrieve memories.
    MemoryRead = "memory:read",
    /// Write and edit memories by hand.
    MemoryWrite = "memory:write",
    /// Read traces.
    TraceRead = "trace:read",
    /// Record traces, also with an inline review.
    TraceWrite = "trace:write",
    /// Review a trace that exists.
    ReviewWrite = "review:write",
    /// Send signals: outcomes that other systems report.
    SignalWrite = "signal:write",
    /// Create and refine the project's skill.
    SkillWrite = "skill:write",
    /// Create, change and test webhooks.
    WebhookManage = "webhook:manage",
    /// Create, list and revoke keys.
    KeyManage = "key:manage",
    /// Change or delete the project.
    ProjectAdmin = "project:admin",
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(from)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "openapi")]
mod openapi {
    use utoipa::openapi::RefOr;
    use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

    impl utoipa::ToSchema for super::Scope {}

    impl utoipa::PartialSchema for super::Scope {
        fn schema() -> RefOr<Schema> {
            let names = super::Scope::ALL.iter().map(|scope| scope.as_str());
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(names))
                .description(Some("One permission of a key."))
                .into()
        }
    }
}

words! {
    /// Where a key is meant to be used. It shows in the key itself and changes nothing else.
    Environment as "environment", expected "live or test" {
        /// Production.
        Live = 0: "live",
        /// Anything else.
        Test = 1: "test",
    }
}

words! {
    /// How far what comes in with a key is believed.
    Trust as "trust level", expected "untrusted, normal or trusted" {
        /// A public-facing agent: its memories wait in quarantine.
        Untrusted = 0: "untrusted",
        /// The default.
        Normal = 1: "normal",
        /// People and checks that are known to be reliable.
        Trusted = 2: "trusted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_is_read_by_its_own_name() {
        for scope in Scope::ALL {
            assert_eq!(scope.as_str().parse(), Ok(*scope));
        }
        assert!("memory:everything".parse::<Scope>().is_err());
    }
}
