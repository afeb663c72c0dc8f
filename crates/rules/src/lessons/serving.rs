//! A ranking of situations as lessons: each lesson once, with the votes that it stands for.

use reflect_types::MemoryId;
use uuid::Uuid;

/// How many votes a situation has at most, however many runs it absorbed.
pub const MOST_VOTES: usize = 2;

/// What tells whether two situations have one lesson: they do if one of the keys is equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LessonKeys {
    /// The lesson, if it has one in common with others.
    pub lesson: Option<Uuid>,
    /// The digest of its text, if that is the text that is shown: it is not grouped, or it speaks for its lesson.
    pub text: Option<Uuid>,
}

impl LessonKeys {
    /// The keys that it has.
    pub fn iter(self) -> impl Iterator<Item = Uuid> {
        self.lesson.into_iter().chain(self.text)
    }
}

/// A situation in a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedSituation {
    /// The situation.
    pub memory_id: MemoryId,
    /// Its lesson, if it has one in common with others.
    pub lesson: Option<Uuid>,
    /// The digest of its text, if that is the text that is shown.
    pub text: Option<Uuid>,
    /// How many runs it absorbed.
    pub absorbed: i32,
    /// Whether its source is not trusted.
    pub untrusted: bool,
}

/// A lesson in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedLesson {
    /// The situation that stands for it.
    pub memory_id: MemoryId,
    /// The votes of this situation and of those that it covers.
    pub votes: usize,
    /// Selected situations of trusted sources with the same lesson. A review of the run counts for them too.
    pub covered: Vec<MemoryId>,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedLessons {
    /// The lessons, best first.
    pub lessons: Vec<ServedLesson>,
    /// The votes that were used.
    pub votes: usize,
    /// Other situations with a served lesson, and the situation that stands for it.
    pub repeated: Vec<(MemoryId, MemoryId)>,
    /// Situations whose lesson is not served.
    pub outranked: Vec<MemoryId>,
}

/// Selected situations with one lesson.
struct Selection<'a> {
    /// Lessons and texts that connect them.
    keys: Vec<Uuid>,
    /// In ranking order.
    members: Vec<Member<'a>>,
}

/// A selected situation with its place in the ranking and the votes that it used.
struct Member<'a> {
    place: usize,
    situation: &'a RankedSituation,
    votes: usize,
}

impl<'a> Selection<'a> {
    fn shares(&self, situation: &RankedSituation) -> bool {
        keys(situation).any(|key| self.keys.contains(&key))
    }

    /// The highest ranked situation, of a trusted source if there is one.
    fn head(&self) -> Option<&'a RankedSituation> {
        let trusted = self.members.iter().find(|member| !member.situation.untrusted);
        trusted.or(self.members.first()).map(|member| member.situation)
    }
}

fn keys(situation: &RankedSituation) -> impl Iterator<Item = Uuid> {
    LessonKeys { lesson: situation.lesson, text: situation.text }.iter()
}

/// Walks a ranking, best first. Each situation takes one vote, or two if it absorbed runs, until `limit` votes are used.
/// Situations with an equal lesson or an equal shown text are one lesson. The highest ranked of them stands for it, of a
/// trusted source if one was selected; the others are covered, those of untrusted sources repeated. Situations that were
/// not selected are repeated if their lesson is served, else outranked.
pub fn serve_lessons(ranked: &[RankedSituation], limit: usize) -> ServedLessons {
    let mut served = ServedLessons::default();
    let mut selections: Vec<Selection<'_>> = Vec::new();
    let mut selected = 0;
    for (place, situation) in ranked.iter().enumerate() {
        if served.votes >= limit {
            break;
        }
        let absorbed = usize::try_from(situation.absorbed).unwrap_or(0);
        let votes = absorbed.saturating_add(1).min(MOST_VOTES).min(limit - served.votes);
        served.votes += votes;
        selected += 1;
        select(&mut selections, Member { place, situation, votes });
    }
    for selection in &selections {
        served.lessons.extend(stand_for(selection, &mut served.repeated));
    }
    for situation in &ranked[selected..] {
        let serving = selections.iter().find(|selection| selection.shares(situation));
        match serving.and_then(Selection::head) {
            Some(head) => served.repeated.push((situation.memory_id, head.memory_id)),
            None => served.outranked.push(situation.memory_id),
        }
    }
    served
}

/// Adds a situation to the selection of its lesson. It can connect two selections: one by its lesson, another by its text.
fn select<'a>(selections: &mut Vec<Selection<'a>>, member: Member<'a>) {
    let (same, others): (Vec<_>, Vec<_>) = std::mem::take(selections)
        .into_iter()
        .partition(|selection: &Selection<'_>| selection.shares(member.situation));
    let mut joined = Selection { keys: keys(member.situation).collect(), members: vec![member] };
    for mut selection in same {
        joined.keys.append(&mut selection.keys);
        joined.members.append(&mut selection.members);
    }
    joined.members.sort_by_key(|member| member.place);
    *selections = others;
    selections.push(joined);
    selections.sort_by_key(|selection| selection.members.first().map(|member| member.place));
}

/// The lesson of a selection. Situations of untrusted sources that do not stand for it are repeated.
fn stand_for(selection: &Selection<'_>, repeated: &mut Vec<(MemoryId, MemoryId)>) -> Option<ServedLesson> {
    let head = selection.head()?;
    let mut lesson = ServedLesson { memory_id: head.memory_id, votes: 0, covered: Vec::new() };
    for Member { situation, votes, .. } in &selection.members {
        let is_head = situation.memory_id == head.memory_id;
        if situation.untrusted && !is_head {
            repeated.push((situation.memory_id, head.memory_id));
            continue;
        }
        lesson.votes += votes;
        if !is_head {
            lesson.covered.push(situation.memory_id);
        }
    }
    Some(lesson)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn id(number: u128) -> MemoryId {
        MemoryId::from_uuid(Uuid::from_u128(number))
    }

    fn of(number: u128, lesson: u128) -> RankedSituation {
        let lesson = Some(Uuid::from_u128(1000 + lesson));
        RankedSituation { memory_id: id(number), lesson, text: None, absorbed: 0, untrusted: false }
    }

    fn untrusted(number: u128, lesson: u128) -> RankedSituation {
        RankedSituation { untrusted: true, ..of(number, lesson) }
    }

    fn shown(served: &ServedLessons) -> Vec<(u128, usize)> {
        served.lessons.iter().map(|one| (one.memory_id.as_uuid().as_u128(), one.votes)).collect()
    }

    #[test]
    fn the_best_votes_are_shown_as_distinct_lessons() {
        let ranked = [of(1, 1), of(2, 2), of(3, 1), of(4, 1), of(5, 3), of(6, 2), of(7, 4)];
        let served = serve_lessons(&ranked, 5);
        assert_eq!(shown(&served), [(1, 3), (2, 1), (5, 1)]);
        assert_eq!(served.lessons[0].covered, [id(3), id(4)]);
        assert_eq!((served.votes, served.repeated, served.outranked), (5, vec![(id(6), id(2))], vec![id(7)]));
    }

    #[test]
    fn a_situation_with_absorbed_runs_has_two_votes_if_they_are_left() {
        let strong = |number, lesson| RankedSituation { absorbed: 7, ..of(number, lesson) };
        let served = serve_lessons(&[strong(1, 1), strong(2, 2), strong(3, 3), of(4, 4)], 5);
        assert_eq!(shown(&served), [(1, 2), (2, 2), (3, 1)]);
        assert_eq!(served.outranked, [id(4)]);
    }

    #[test]
    fn a_trusted_situation_stands_for_a_lesson_and_untrusted_ones_give_it_no_votes() {
        let served = serve_lessons(&[untrusted(1, 1), of(2, 1), untrusted(3, 1), untrusted(4, 2)], 5);
        assert_eq!(shown(&served), [(2, 1), (4, 1)]);
        assert_eq!(served.repeated, [(id(1), id(2)), (id(3), id(2))]);
        assert_eq!(served.votes, 4);
    }

    #[test]
    fn an_equal_text_is_one_lesson_whatever_the_groups_say() {
        let text = Some(Uuid::from_u128(5));
        let (one, other) = (RankedSituation { text, ..of(1, 1) }, RankedSituation { text, ..of(3, 2) });
        let served = serve_lessons(&[one, of(2, 2), other], 5);
        assert_eq!(shown(&served), [(1, 3)]);
        assert_eq!(served.lessons[0].covered, [id(2), id(3)]);
    }

    #[test]
    fn a_situation_without_a_lesson_stands_for_itself() {
        let alone = |number| RankedSituation { lesson: None, ..of(number, 0) };
        assert_eq!(shown(&serve_lessons(&[alone(1), alone(2)], 5)), [(1, 1), (2, 1)]);
        assert_eq!(serve_lessons(&[of(1, 1)], 0).outranked, [id(1)]);
        assert_eq!(serve_lessons(&[], 5), ServedLessons::default());
    }

    proptest! {
        #[test]
        fn every_situation_is_in_exactly_one_list_and_every_lesson_once(
            given in prop::collection::vec((0_u128..6, 0_u128..6, 0_i32..4, any::<bool>()), 0..30),
            limit in 0_usize..8,
        ) {
            let ranked: Vec<RankedSituation> = (0_u128..)
                .zip(&given)
                .map(|(number, (lesson, text, absorbed, untrusted))| RankedSituation {
                    memory_id: id(number),
                    lesson: (*lesson > 0).then(|| Uuid::from_u128(1000 + lesson)),
                    text: (*text > 0).then(|| Uuid::from_u128(2000 + text)),
                    absorbed: *absorbed,
                    untrusted: *untrusted,
                })
                .collect();
            let served = serve_lessons(&ranked, limit);

            let mut listed: Vec<MemoryId> = served.outranked.clone();
            listed.extend(served.repeated.iter().map(|(memory, _)| *memory));
            for lesson in &served.lessons {
                listed.push(lesson.memory_id);
                listed.extend(&lesson.covered);
            }
            let distinct: BTreeSet<MemoryId> = listed.iter().copied().collect();
            prop_assert_eq!((listed.len(), distinct.len()), (ranked.len(), ranked.len()));
            let votes: usize = served.lessons.iter().map(|lesson| lesson.votes).sum();
            prop_assert!(votes <= served.votes && served.votes <= limit);
            let heads: Vec<&RankedSituation> = served
                .lessons
                .iter()
                .filter_map(|lesson| ranked.iter().find(|one| one.memory_id == lesson.memory_id))
                .collect();
            for (place, head) in heads.iter().enumerate() {
                for other in &heads[place + 1..] {
                    prop_assert!(head.lesson.is_none() || head.lesson != other.lesson);
                    prop_assert!(head.text.is_none() || head.text != other.text);
                }
            }
        }
    }
}
