//! Which situations a run supersedes because it contradicts them, and which pair a person has to decide.

use reflect_types::{Credit, LessonSettings, MemoryId};

use super::kind::CONTRADICTS;

/// The credit of a memory without effect.
const NO_EFFECT: f32 = 0.5;

/// A situation with other advice about a task that is at least [`CONTRADICTS`] similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contradicting {
    /// The situation.
    pub memory_id: MemoryId,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// Its credit after the run.
    pub credit: Credit,
    /// Pinned, written or edited by a person: only a person decides.
    pub is_protected: bool,
}

/// What follows from contradictions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contradictions {
    /// The situations that are superseded.
    pub superseded: Vec<MemoryId>,
    /// The most similar one that evidence does not decide.
    pub undecided: Option<MemoryId>,
}

/// What a run supersedes: nothing unless it passed or was reviewed with words, its source is trusted and the project wants
/// it. Superseded are situations that were tried, have a credit below 0.5 and are not protected. Of the others that were
/// tried, the most similar one is undecided.
pub fn contradictions(
    settings: LessonSettings,
    passed: bool,
    has_words: bool,
    untrusted: bool,
    found: &[Contradicting],
) -> Contradictions {
    if untrusted || !settings.supersede || !(passed || has_words) {
        return Contradictions::default();
    }
    let tried = found.iter().filter(|one| one.similarity >= CONTRADICTS && one.credit.evidence() >= 1);
    let (decided, others): (Vec<&Contradicting>, Vec<&Contradicting>) =
        tried.partition(|one| one.credit.value() < NO_EFFECT && !one.is_protected);
    let undecided = others.into_iter().max_by(|one, other| {
        one.similarity.total_cmp(&other.similarity).then(other.memory_id.cmp(&one.memory_id))
    });
    Contradictions {
        superseded: decided.into_iter().map(|one| one.memory_id).collect(),
        undecided: undecided.map(|one| one.memory_id),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn found(id: u128, similarity: f32, credit: f32, evidence: i32) -> Contradicting {
        Contradicting {
            memory_id: MemoryId::from_uuid(Uuid::from_u128(id)),
            similarity,
            credit: Credit::stored(credit, evidence),
            is_protected: false,
        }
    }

    fn passed(found: &[Contradicting]) -> Contradictions {
        contradictions(LessonSettings::default(), true, false, false, found)
    }

    #[test]
    fn tried_situations_with_a_low_credit_are_superseded() {
        let bad = found(1, 0.8, 0.49, 1);
        let result = passed(&[bad, found(2, 0.79, 0.1, 5), found(3, 0.9, 0.4, 0)]);
        assert_eq!((result.superseded, result.undecided), (vec![bad.memory_id], None));
    }

    #[test]
    fn what_evidence_does_not_decide_is_a_question_about_the_most_similar_one() {
        let protected = Contradicting { is_protected: true, ..found(2, 0.95, 0.1, 5) };
        let good = found(1, 0.85, 0.5, 3);
        let result = passed(&[good, protected]);
        assert_eq!((result.superseded, result.undecided), (vec![], Some(protected.memory_id)));
        assert_eq!(
            passed(&[found(8, 0.9, 0.6, 1), found(7, 0.9, 0.6, 1)]).undecided,
            passed(&[found(7, 0.9, 0.6, 1)]).undecided
        );
    }

    #[test]
    fn a_failure_without_words_an_untrusted_run_and_a_setting_supersede_nothing() {
        let bad = [found(1, 0.9, 0.2, 2), found(2, 0.9, 0.7, 2)];
        let (on, nothing) = (LessonSettings::default(), Contradictions::default());
        let off = LessonSettings { supersede: false, ..on };
        assert_eq!(contradictions(on, false, false, false, &bad), nothing);
        assert_eq!(contradictions(on, true, true, true, &bad), nothing);
        assert_eq!(contradictions(off, true, true, false, &bad), nothing);
        assert_ne!(contradictions(on, false, true, false, &bad), nothing);
    }
}
