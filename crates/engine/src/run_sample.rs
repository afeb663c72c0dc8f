//! Which runs belong to a share of all runs. Random, but always the same for the same run.

use reflect_types::TraceId;

/// Whether a run belongs to a share of all runs. `about` names what the share is for: shares of different names are
/// independent.
pub(crate) fn is_part(trace: TraceId, about: &str, share: f64) -> bool {
    number(trace, about) < share
}

/// Whether the verdict of a judge, or of signals, about a run is withheld from reviewers. The same runs for both, because a
/// review by one of them would end the wait for a person.
pub fn is_blind(trace: TraceId, share: f64) -> bool {
    is_part(trace, "blind", share)
}

/// A number in [0, 1) that depends only on the run's id.
fn number(trace: TraceId, about: &str) -> f64 {
    let mut digest = blake3::Hasher::new();
    digest.update(about.as_bytes()).update(trace.to_string().as_bytes());
    let bytes = digest.finalize();
    let first = bytes.as_bytes().iter().take(6).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    // 48 bits fit a double exactly, so a share of 1 takes every run and a share of 0 none.
    first as f64 / (1_u64 << 48) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_share_contains_the_smaller_one() {
        let traces: Vec<TraceId> = (0..1000).map(|_| TraceId::generate()).collect();
        let part = |share: f64| traces.iter().filter(move |trace| is_blind(**trace, share)).count();
        assert_eq!((part(0.0), part(1.0)), (0, 1000));
        assert!(traces.iter().all(|trace| !is_blind(*trace, 0.2) || is_blind(*trace, 0.4)));
    }
}
