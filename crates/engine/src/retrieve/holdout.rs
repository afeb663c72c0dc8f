//! Which retrievals get no memories, so that runs with and without can be compared. A pure rule.

use reflect_types::{ProjectId, RetrievalId};

/// For how long a task keeps its lot, in seconds. Long enough that asking again within a run is no way around
/// it, short enough that runs of the same task are not all on one side: they would count as one run then.
const WINDOW: u64 = 600;

/// Whether a retrieval is one of the share that goes without.
pub(super) fn is_held_out(
    project: ProjectId,
    task_digest: &[u8; 32],
    retrieval: RetrievalId,
    rate: f64,
) -> bool {
    if rate <= 0.0 {
        return false;
    }
    let mut lot = blake3::Hasher::new_derive_key("reflect holdout 1");
    lot.update(&project.number().to_be_bytes());
    lot.update(task_digest);
    let asked_at = retrieval.as_uuid().get_timestamp().map_or(0, |at| at.to_unix().0);
    lot.update(&(asked_at / WINDOW).to_be_bytes());
    let mut drawn = [0; 8];
    drawn.copy_from_slice(&lot.finalize().as_bytes()[..8]);
    (u64::from_be_bytes(drawn) as f64) < rate * (u64::MAX as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::{NoContext, Timestamp, Uuid};

    /// A retrieval so many seconds after another.
    fn at(seconds: u64) -> RetrievalId {
        let moment = Timestamp::from_unix(NoContext, 1_800_000_000 + seconds, 0);
        RetrievalId::from_uuid(Uuid::new_v7(moment))
    }

    fn digest(task: u32) -> [u8; 32] {
        *blake3::hash(&task.to_be_bytes()).as_bytes()
    }

    #[test]
    fn nothing_is_held_out_unless_asked_for() {
        assert!((0..1000).all(|task| !is_held_out(ProjectId::new(1), &digest(task), at(0), 0.0)));
    }

    #[test]
    fn the_share_is_what_was_asked_for_and_grows_without_changing_sides() {
        let project = ProjectId::new(7);
        let held = |rate: f64| -> Vec<u32> {
            (0..20_000).filter(|task| is_held_out(project, &digest(*task), at(0), rate)).collect()
        };
        let (tenth, third) = (held(0.1), held(0.3));
        assert!((1_850..2_150).contains(&tenth.len()), "{}", tenth.len());
        assert!((5_750..6_250).contains(&third.len()), "{}", third.len());
        assert!(tenth.iter().all(|task| third.contains(task)));
    }

    #[test]
    fn a_task_keeps_its_lot_for_a_while_and_then_draws_again() {
        let held = |seconds: u64| is_held_out(ProjectId::new(1), &digest(1), at(seconds), 0.5);
        assert!((0..WINDOW).step_by(7).all(|seconds| held(seconds) == held(0)));
        let later = (0..1000).filter(|window| held(window * WINDOW)).count();
        assert!((430..570).contains(&later), "{later}");
    }

    #[test]
    fn projects_draw_their_own_lots() {
        let held = |project: i32| -> Vec<bool> {
            (0..200).map(|task| is_held_out(ProjectId::new(project), &digest(task), at(0), 0.5)).collect()
        };
        assert_ne!(held(1), held(2));
    }
}
