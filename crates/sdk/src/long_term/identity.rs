//! The id of a trial. It is the same in every process that records the trial.

use reflect_types::TraceId;
use uuid::{Uuid, Variant, Version};

/// The maximum length of an `Idempotency-Key`.
const MAX_KEY_BYTES: usize = 255;

/// Makes recording idempotent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// A trace id that is derived from the run id. The server detects a repetition as long as the trace exists.
    Trace(TraceId),
    /// An idempotency key. For run ids without a timestamp, from which no trace id can be derived.
    Key(String),
}

impl Identity {
    /// The identity of what is recorded under `key` (`run_id/trial/candidate`).
    pub(super) fn of(key: &str, run_id: &str, trial: u64) -> Self {
        match run_id.parse::<Uuid>() {
            Ok(run) if run.get_version() == Some(Version::SortRand) => {
                Self::Trace(TraceId::from_uuid(trace_id(run, key, trial)))
            }
            _ => Self::Key(header(key)),
        }
    }

    pub(super) fn trace_id(&self) -> Option<Uuid> {
        match self {
            Self::Trace(id) => Some(id.as_uuid()),
            Self::Key(_) => None,
        }
    }

    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Trace(_) => None,
            Self::Key(key) => Some(key),
        }
    }
}

/// The timestamp of the run plus one millisecond per trial, so traces are listed in the order of their trials. The
/// remaining bits are a hash of the key.
fn trace_id(run: Uuid, key: &str, trial: u64) -> Uuid {
    let began = run.as_u128() >> 80;
    let time = began + u128::from(trial);
    let bytes = ((time << 80) | (digest(key) & ((1 << 80) - 1))).to_be_bytes();
    uuid::Builder::from_bytes(bytes)
        .with_variant(Variant::RFC4122)
        .with_version(Version::SortRand)
        .into_uuid()
}

/// The key, or its hash if it is not valid as a header.
fn header(key: &str) -> String {
    let plain = key.len() <= MAX_KEY_BYTES && key.bytes().all(|byte| byte.is_ascii_graphic());
    if plain { key.to_owned() } else { format!("{:032x}", digest(key)) }
}

/// FNV-1a with 128 bits. Ids must be the same in every version, which the hashers of the standard library do not
/// guarantee. The hash does not need to be collision-resistant: a collision has no security effect.
fn digest(text: &str) -> u128 {
    let step = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013B);
    text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn the_digest_is_the_published_one() {
        // From the list of test vectors that comes with the algorithm.
        assert_eq!(digest(""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(digest("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(digest("foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn a_trial_has_the_same_trace_id_everywhere_and_no_other_trial_has_it() {
        let run = "01a1dd7e-3f9d-7268-b8f2-277cca504f80";
        let id = |trial: u64, candidate: u32| {
            Identity::of(&format!("{run}/{trial}/{candidate}"), run, trial).trace_id().unwrap()
        };

        assert_eq!(id(1, 1).to_string(), "01a1dd7e-3f9e-78ff-bd4c-0d1b5ce13693");
        let mut all: Vec<Uuid> =
            (1..5).flat_map(|trial| (1..5).map(move |one| (trial, one))).map(|(t, c)| id(t, c)).collect();
        let by_trial: Vec<Uuid> = all.chunks(4).map(|trial| trial[0]).collect();
        assert!(by_trial.is_sorted());
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 16);
    }

    #[test]
    fn the_server_takes_such_an_id() {
        let run = Uuid::now_v7().to_string();
        let id = Identity::of(&format!("{run}/3/1"), &run, 3).trace_id().unwrap();
        assert!(TraceId::from_client(id, SystemTime::now()).is_ok());
    }

    #[test]
    fn a_run_with_an_id_of_the_callers_own_has_a_key() {
        assert_eq!(Identity::of("order 1/1/1", "order 1", 1).key().unwrap().len(), 32);
        assert_eq!(Identity::of("order-1/1/1", "order-1", 1), Identity::Key("order-1/1/1".into()));
        let version_4 = "936da01f-9abd-4d9d-80c7-02af85c822a8";
        assert!(matches!(Identity::of(&format!("{version_4}/1/1"), version_4, 1), Identity::Key(_)));
        let long = "x".repeat(300);
        assert_ne!(
            Identity::of(&format!("{long}/1/1"), &long, 1),
            Identity::of(&format!("{long}/1/2"), &long, 1)
        );
    }
}
