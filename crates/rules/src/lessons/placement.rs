//! Which lesson a new situation belongs to.

use std::cmp::Ordering;

use reflect_types::{LessonGrouping, LessonId, LessonSettings, MemoryId};
use serde::{Deserialize, Serialize};

use super::advice::Relation;
use super::kind::SituationKind;

/// How similar two tasks must be for one lesson. It matters for reading only: lower and higher thresholds gave the same
/// decisions in Case-Stream.
pub const JOINS: f32 = 0.5;
/// How many runs a situation absorbs. All of them are released together when its own run is withdrawn or erased.
pub const MOST_ABSORBED: i32 = 50;

/// A stored situation near a new one. Only active ones are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearSituation {
    /// The situation.
    pub memory_id: MemoryId,
    /// Its lesson.
    pub lesson: LessonId,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// How its advice is related to that of the new one.
    pub relation: Relation,
    /// How that is known.
    pub by: SameBy,
    /// Whether its source is not trusted.
    pub untrusted: bool,
    /// How many runs it has absorbed.
    pub absorbed: i32,
}

/// How it is known that two situations have the same advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SameBy {
    /// The texts are identical.
    Text,
    /// The actions are identical.
    Structure,
    /// The tools are identical. The results of the runs can differ, so nothing is absorbed.
    Approach,
    /// A language model said it.
    Model,
    /// The run used the lesson and passed.
    Use,
}

impl SameBy {
    /// The word in the summary of an action.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Structure => "structure",
            Self::Approach => "approach",
            Self::Model => "model",
            Self::Use => "use",
        }
    }
}

/// A new situation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewSituation<'a> {
    /// What it is about.
    pub kind: SituationKind,
    /// The settings of the project.
    pub settings: LessonSettings,
    /// Whether its source is not trusted.
    pub untrusted: bool,
    /// Whether it is in quarantine.
    pub quarantined: bool,
    /// Lessons that the run used as its client or a model said, only for a pass without feedback, without a sent lesson and
    /// without an action of its own; else empty.
    pub followed: &'a [LessonId],
}

/// Where a new situation belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// It is not grouped: only its text decides.
    #[default]
    Apart,
    /// It founds a lesson.
    Own,
    /// It joins a lesson.
    Join(Joined),
    /// It joins a lesson, and the situation stands for it.
    Absorb(Joined),
}

/// A lesson that is joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joined {
    /// The nearest situation of the lesson.
    pub situation: MemoryId,
    /// The lesson.
    pub lesson: LessonId,
    /// How it is known that the advice is the same.
    pub by: SameBy,
}

impl Placement {
    /// The lesson that is joined, if one is.
    pub const fn joined(&self) -> Option<Joined> {
        match self {
            Self::Join(joined) | Self::Absorb(joined) => Some(*joined),
            Self::Apart | Self::Own => None,
        }
    }
}

/// The lesson of a new situation:
///
/// 1. Grouping is off: apart.
/// 2. It is in quarantine, or its source is not trusted: its own.
/// 3. The most similar trusted situation with the same advice, at least [`JOINS`] similar, or with an identical text at
///    any similarity. From [`SituationKind::absorbs`] on, the most similar situation of its lesson that has absorbed fewer than
///    [`MOST_ABSORBED`] runs absorbs the new one, unless only the tools are the same.
/// 4. The most similar trusted situation of a lesson that the run followed, at least [`JOINS`] similar, unless it
///    contradicts.
/// 5. Its own.
///
/// With [`LessonGrouping::Structure`], what a model said is ignored. Of equally similar ones the older one is taken.
pub fn place(new: &NewSituation<'_>, near: &[NearSituation]) -> Placement {
    if new.settings.grouping == LessonGrouping::Off {
        return Placement::Apart;
    }
    if new.quarantined || new.untrusted {
        return Placement::Own;
    }
    let known = |situation: &NearSituation| match (situation.by, new.settings.grouping) {
        (SameBy::Model, LessonGrouping::Structure) => Relation::Unknown,
        _ => situation.relation,
    };
    let trusted = || near.iter().filter(|situation| !situation.untrusted);
    let same: Vec<&NearSituation> = trusted()
        .filter(|situation| {
            let is_near = situation.similarity >= JOINS || situation.by == SameBy::Text;
            known(situation) == Relation::Same && is_near
        })
        .collect();
    if let Some(nearest) = most_similar(same.iter().copied()) {
        let of_lesson = same.iter().copied().filter(|situation| situation.lesson == nearest.lesson);
        let absorbing = most_similar(of_lesson.filter(|situation| may_absorb(situation, new.kind)));
        return match absorbing.filter(|_| new.settings.absorb) {
            Some(situation) => Placement::Absorb(joined(situation, situation.by)),
            None => Placement::Join(joined(nearest, nearest.by)),
        };
    }
    let followed = trusted().filter(|situation| {
        new.followed.contains(&situation.lesson)
            && situation.similarity >= JOINS
            && known(situation) != Relation::Contradicts
    });
    most_similar(followed).map_or(Placement::Own, |situation| Placement::Join(joined(situation, SameBy::Use)))
}

/// Whether a situation with the same advice stands for the new one too.
fn may_absorb(situation: &NearSituation, kind: SituationKind) -> bool {
    kind.absorbs().is_some_and(|from| situation.similarity >= from)
        && situation.by != SameBy::Approach
        && situation.absorbed < MOST_ABSORBED
}

fn joined(situation: &NearSituation, by: SameBy) -> Joined {
    Joined { situation: situation.memory_id, lesson: situation.lesson, by }
}

fn most_similar<'a>(near: impl Iterator<Item = &'a NearSituation>) -> Option<&'a NearSituation> {
    let nearer = |one: &&NearSituation, other: &&NearSituation| -> Ordering {
        one.similarity.total_cmp(&other.similarity).then(other.memory_id.cmp(&one.memory_id))
    };
    near.max_by(nearer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn near(id: u128, similarity: f32, relation: Relation, by: SameBy) -> NearSituation {
        let memory_id = MemoryId::from_uuid(Uuid::from_u128(id));
        let lesson = memory_id.into();
        NearSituation { memory_id, lesson, similarity, relation, by, untrusted: false, absorbed: 0 }
    }

    fn same(id: u128, similarity: f32) -> NearSituation {
        near(id, similarity, Relation::Same, SameBy::Structure)
    }

    fn new() -> NewSituation<'static> {
        NewSituation {
            kind: SituationKind::Task,
            settings: LessonSettings::default(),
            untrusted: false,
            quarantined: false,
            followed: &[],
        }
    }

    fn with(grouping: LessonGrouping) -> NewSituation<'static> {
        NewSituation { settings: LessonSettings { grouping, ..LessonSettings::default() }, ..new() }
    }

    fn situation(placement: Placement) -> Option<u128> {
        placement.joined().map(|joined| joined.situation.as_uuid().as_u128())
    }

    #[test]
    fn the_thresholds_decide_between_own_join_and_absorb() {
        assert_eq!(place(&new(), &[same(1, 0.49)]), Placement::Own);
        assert!(matches!(place(&new(), &[same(1, 0.5)]), Placement::Join(_)));
        assert!(matches!(place(&new(), &[same(1, 0.94)]), Placement::Join(_)));
        assert!(matches!(place(&new(), &[same(1, 0.95)]), Placement::Absorb(_)));

        let settings = LessonSettings { absorb: false, ..LessonSettings::default() };
        assert!(matches!(place(&NewSituation { settings, ..new() }, &[same(1, 0.99)]), Placement::Join(_)));
    }

    #[test]
    fn a_state_is_never_absorbed() {
        let state = NewSituation { kind: SituationKind::State, ..new() };
        assert!(matches!(place(&state, &[same(1, 1.0)]), Placement::Join(_)));
    }

    #[test]
    fn equal_tools_are_joined_and_never_absorbed() {
        let tools = near(1, 1.0, Relation::Same, SameBy::Approach);
        assert_eq!(place(&new(), &[tools]), Placement::Join(joined(&tools, SameBy::Approach)));
    }

    #[test]
    fn a_situation_absorbs_a_limited_number_of_runs_and_then_another_one_of_its_lesson_does() {
        let full = NearSituation { absorbed: MOST_ABSORBED, ..same(1, 1.0) };
        let last = NearSituation { absorbed: MOST_ABSORBED - 1, ..full };
        assert!(matches!(place(&new(), &[last]), Placement::Absorb(_)));
        assert_eq!(place(&new(), &[full]), Placement::Join(joined(&full, SameBy::Structure)));

        let next = NearSituation { lesson: full.lesson, ..same(2, 0.96) };
        assert_eq!(place(&new(), &[full, next]), Placement::Absorb(joined(&next, SameBy::Structure)));
        let far = NearSituation { similarity: 0.94, ..next };
        assert_eq!(place(&new(), &[full, far]), Placement::Join(joined(&full, SameBy::Structure)));
        let other_lesson = same(3, 0.99);
        assert_eq!(
            place(&new(), &[full, other_lesson]),
            Placement::Join(joined(&full, SameBy::Structure)),
            "the nearest one decides the lesson"
        );
    }

    #[test]
    fn an_identical_text_joins_at_any_similarity() {
        let text = near(1, -0.2, Relation::Same, SameBy::Text);
        assert!(matches!(place(&new(), &[text]), Placement::Join(Joined { by: SameBy::Text, .. })));
    }

    #[test]
    fn the_most_similar_one_is_joined_and_of_equal_ones_the_older() {
        assert_eq!(situation(place(&new(), &[same(1, 0.6), same(2, 0.8), same(3, 0.7)])), Some(2));
        assert_eq!(situation(place(&new(), &[same(3, 0.8), same(2, 0.8)])), Some(2));
    }

    #[test]
    fn untrusted_and_quarantined_situations_are_never_grouped_by_themselves() {
        let untrusted = NearSituation { untrusted: true, ..same(1, 0.99) };
        assert_eq!(place(&new(), &[untrusted]), Placement::Own);
        let followed = [untrusted.lesson];
        assert_eq!(place(&NewSituation { followed: &followed, ..new() }, &[untrusted]), Placement::Own);
        assert_eq!(place(&NewSituation { untrusted: true, ..new() }, &[same(1, 0.99)]), Placement::Own);
        assert_eq!(place(&NewSituation { quarantined: true, ..new() }, &[same(1, 0.99)]), Placement::Own);
    }

    #[test]
    fn grouping_can_be_off_or_without_a_model() {
        let by_model = near(1, 0.9, Relation::Same, SameBy::Model);
        assert_eq!(place(&with(LessonGrouping::Off), &[same(1, 0.9)]), Placement::Apart);
        assert_eq!(place(&with(LessonGrouping::Structure), &[by_model]), Placement::Own);
        assert_eq!(situation(place(&new(), &[by_model])), Some(1));
    }

    #[test]
    fn a_pass_without_words_joins_the_lesson_that_it_followed_unless_that_contradicts() {
        let unknown = near(1, 0.6, Relation::Unknown, SameBy::Structure);
        let against = near(2, 0.9, Relation::Contradicts, SameBy::Structure);
        let followed = [unknown.lesson, against.lesson];
        let new = NewSituation { followed: &followed, ..new() };

        let placed = place(&new, &[unknown, against]);

        let joined = Joined { situation: unknown.memory_id, lesson: unknown.lesson, by: SameBy::Use };
        assert_eq!(placed, Placement::Join(joined));
        assert_eq!(place(&new, &[against]), Placement::Own);
        assert_eq!(place(&new, &[NearSituation { similarity: 0.4, ..unknown }]), Placement::Own);
    }

    proptest! {
        #[test]
        fn the_order_of_the_situations_does_not_matter(
            mut all in prop::collection::vec((0_u128..20, 0_u8..20, 0_u8..3, any::<bool>()), 0..8),
        ) {
            all.sort_by_key(|one| one.0);
            all.dedup_by_key(|one| one.0);
            let mut near: Vec<NearSituation> = all
                .iter()
                .map(|(id, similarity, relation, untrusted)| {
                    let relation = [Relation::Same, Relation::Contradicts, Relation::Unknown][*relation as usize];
                    let one = near(*id, f32::from(*similarity) / 20.0, relation, SameBy::Structure);
                    NearSituation { untrusted: *untrusted, ..one }
                })
                .collect();
            let followed: Vec<LessonId> = near.iter().take(2).map(|one| one.lesson).collect();
            let new = NewSituation { followed: &followed, ..new() };
            let placed = place(&new, &near);
            near.reverse();
            prop_assert_eq!(place(&new, &near), placed);
            let target = near.iter().find(|one| placed.joined().is_some_and(|to| to.situation == one.memory_id));
            prop_assert!(target.is_none_or(|one| !one.untrusted));
        }
    }
}
