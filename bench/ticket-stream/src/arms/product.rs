//! The product: its own candidates, ranking, lessons, credit and expectation. This module only provides the data that a
//! database would. Other parts answer how runs become lessons, and when the bonus of new memories ends.

use std::collections::HashSet;

use reflect_engine::credit::{
    NEIGHBOURS, NEIGHBOURS_OF_MEMORY, Neighbour, RECENT_REVIEWS, ReviewTally, expected_success,
};
use reflect_engine::rank::{Considered, MOST_VOTES, Ranking, lessons, pool, rank};
use reflect_rules::lessons::{
    AdviceKey, AdviceText, Contradicting, NearSituation, NewSituation, Placement, Relation, SameBy,
    SituationKind, advice_key, contradictions, place, relation,
};
use reflect_types::{Credit, LessonGrouping, LessonId, LessonSettings, MemoryId};
use uuid::Uuid;

use super::bank::{Bank, NewMemory};
use super::{Arm, Author, LIMIT, Review, UNDECIDED, Vote};
use crate::environment::{Action, Situation};

/// The weight of utility against similarity.
const WEIGHT: f32 = 0.5;
/// Lower than every similarity.
const NO_THRESHOLD: f32 = -1.0;
/// How many of the nearest memories a new one is compared with.
const COMPARED: usize = 100;

/// What can differ from the product.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts {
    /// Whether a run becomes one memory instead of one per step.
    pub(crate) per_run: bool,
    /// Whether states are compared with the thresholds of tasks.
    pub(crate) like_tasks: bool,
    /// Whether a new memory loses its bonus when it is shown, followed or not.
    pub(crate) ends_when_shown: bool,
    /// How lessons are grouped, absorbed and superseded.
    pub(crate) settings: LessonSettings,
}

impl Parts {
    /// Every memory is a lesson of its own.
    pub(crate) fn ungrouped() -> Self {
        let settings = LessonSettings {
            grouping: LessonGrouping::Off,
            absorb: false,
            supersede: false,
            ..LessonSettings::default()
        };
        Self { settings, ..Self::default() }
    }
}

/// What is known about a memory.
#[derive(Debug)]
struct Standing {
    credit: Credit,
    /// How many reviewed runs were shown it.
    shown: i32,
    /// The memory that founded its lesson.
    lesson: usize,
    /// How many memories it absorbed.
    absorbed: i32,
    /// Whether it is searched.
    active: bool,
    author: Author,
    action: Option<usize>,
    /// The reviews of the runs whose first memory it is, or has absorbed.
    reviews: Vec<bool>,
}

/// Ranks by credit and keeps lessons.
#[derive(Debug)]
pub(crate) struct Product {
    parts: Parts,
    keys: Vec<Option<AdviceKey>>,
    bank: Bank,
    standings: Vec<Standing>,
    reviews: Vec<bool>,
}

impl Product {
    pub(crate) fn new(actions: &[Action], parts: Parts) -> Self {
        let text = |name| AdviceText { correct_action: name, approach: &[], reflection: "" };
        let keys = actions.iter().map(|action| advice_key(&text(&action.name))).collect();
        Self { parts, keys, bank: Bank::default(), standings: Vec::new(), reviews: Vec::new() }
    }

    /// The similarity of a state to that of each memory.
    pub(crate) fn similarities(&self, state: &Situation) -> Vec<f32> {
        self.bank.similarities(state)
    }

    /// The memories that are ranked for a state.
    pub(crate) fn candidates(&self, similarities: &[f32]) -> Vec<(usize, f32)> {
        self.nearest(similarities, pool(LIMIT))
    }

    /// A memory as the ranking sees it.
    pub(crate) fn considered(&self, (memory, similarity): (usize, f32)) -> Considered {
        let standing = &self.standings[memory];
        Considered {
            memory_id: memory_id(memory),
            similarity,
            q: if self.parts.ends_when_shown {
                standing.credit.utility_when_shown(standing.shown)
            } else {
                UNDECIDED
            },
            credit: standing.credit,
            untrusted: None,
            lesson: Some(memory_id(standing.lesson).as_uuid()),
            text: None,
            absorbed: standing.absorbed,
        }
    }

    /// The memories to show among candidates, in the order of the ranking.
    pub(crate) fn select(
        &self,
        candidates: &[(usize, f32)],
        state: &Situation,
        taken: &[usize],
    ) -> Vec<Vote> {
        let considered: Vec<Considered> = candidates.iter().map(|one| self.considered(*one)).collect();
        let ranking = if self.parts.ends_when_shown { Ranking::Classic } else { Ranking::Learned };
        let ranked = rank(&considered, ranking, WEIGHT, NO_THRESHOLD);
        let served = lessons(ranked.clone(), &considered, LIMIT);
        let covered = served.covered.iter().map(|(one, _)| one);
        let selected: HashSet<MemoryId> =
            served.chosen.iter().chain(covered).map(|one| one.memory_id).collect();
        let mut left = served.votes;
        let selected = ranked.iter().filter(|one| selected.contains(&one.memory_id));
        let votes = selected.map(|one| {
            let memory = number(one.memory_id);
            let absorbed = usize::try_from(self.standings[memory].absorbed).unwrap_or(0);
            let votes = (1 + absorbed).min(MOST_VOTES).min(left);
            left -= votes;
            self.bank.vote((memory, one.similarity), votes, state, taken)
        });
        votes.collect()
    }

    /// The memories that a run used: those that were shown in any step and whose lesson was followed in one.
    pub(crate) fn used(&self, review: &Review<'_>) -> Vec<usize> {
        let steps = review.run.steps.iter();
        let followed: HashSet<usize> = steps
            .flat_map(|step| step.shown.iter().filter(|vote| vote.action == Some(step.action)))
            .map(|vote| self.standings[vote.memory].lesson)
            .collect();
        let shown = review.run.shown().into_iter();
        shown.filter(|memory| followed.contains(&self.standings[*memory].lesson)).collect()
    }

    /// The searched memory of a state with this text and action.
    pub(crate) fn find(&self, text: &str, action: usize) -> Option<usize> {
        let same = |memory: &usize| self.bank.described(*memory) == (text, Some(action));
        self.active().filter(same).last()
    }

    fn active(&self) -> impl Iterator<Item = usize> {
        (0..self.standings.len()).filter(move |memory| self.standings[*memory].active)
    }

    fn nearest(&self, similarities: &[f32], count: usize) -> Vec<(usize, f32)> {
        self.bank.nearest(similarities, count, |memory| self.standings[memory].active)
    }

    fn relation(&self, action: Option<usize>, memory: usize) -> Relation {
        let key = |action: Option<usize>| action.and_then(|action| self.keys[action]);
        relation(key(action), key(self.standings[memory].action))
    }

    /// What memories are about.
    const fn kind(&self) -> SituationKind {
        if self.parts.per_run || self.parts.like_tasks { SituationKind::Task } else { SituationKind::State }
    }

    /// Where a new memory belongs.
    fn placed(&self, memory: &NewMemory, similarities: &[f32]) -> Placement {
        let new = NewSituation {
            kind: self.kind(),
            settings: self.parts.settings,
            untrusted: false,
            quarantined: false,
            followed: &[],
        };
        let same = self.active().filter(|other| self.relation(memory.action(), *other) == Relation::Same);
        let near = same.map(|other| {
            let standing = &self.standings[other];
            // Lessons of one author about one action have the same words.
            let by = if standing.author == memory.author { SameBy::Text } else { SameBy::Structure };
            NearSituation {
                memory_id: memory_id(other),
                lesson: LessonId::from(memory_id(standing.lesson)),
                similarity: similarities[other],
                relation: Relation::Same,
                by,
                untrusted: false,
                absorbed: standing.absorbed,
            }
        });
        place(&new, &near.collect::<Vec<_>>())
    }

    /// Similar memories with other advice.
    fn contradicting(&self, memory: &NewMemory, similarities: &[f32]) -> Vec<(usize, f32)> {
        let mut near = self.nearest(similarities, COMPARED);
        near.retain(|(other, similarity)| {
            *similarity >= self.kind().contradicts()
                && self.relation(memory.action(), *other) == Relation::Contradicts
        });
        near
    }

    fn add(&mut self, memory: NewMemory, placement: Placement, review: Option<bool>) {
        if let Placement::Absorb(joined) = placement {
            let standing = &mut self.standings[number(joined.situation)];
            standing.absorbed += 1;
            standing.reviews.extend(review);
            return;
        }
        let (author, action) = (memory.author, memory.action());
        let added = self.bank.add(memory);
        let lesson = match placement {
            Placement::Join(joined) => number(MemoryId::from_uuid(joined.lesson.as_uuid())),
            _ => added,
        };
        self.standings.push(Standing {
            credit: Credit::START,
            shown: 0,
            lesson,
            absorbed: 0,
            active: true,
            author,
            action,
            reviews: review.into_iter().collect(),
        });
    }

    /// The expected outcome of a run that begins in this state, from the reviews before it.
    fn expected(&self, first: &Situation) -> f32 {
        let recent = &self.reviews[self.reviews.len().saturating_sub(RECENT_REVIEWS)..];
        let count = |passes: usize| u32::try_from(passes).unwrap_or(u32::MAX);
        let tally = ReviewTally {
            reviews: count(recent.len()),
            passes: count(recent.iter().filter(|passed| **passed).count()),
        };
        let reviewed = |memory: usize| {
            let standing = &self.standings[memory];
            standing.active && !standing.reviews.is_empty()
        };
        let nearest = self.bank.nearest(&self.bank.similarities(first), NEIGHBOURS, reviewed).into_iter();
        let neighbours = nearest.flat_map(|(memory, similarity)| {
            let newest = self.standings[memory].reviews.iter().rev().take(NEIGHBOURS_OF_MEMORY);
            newest.map(move |passed| Neighbour { similarity, passed: *passed })
        });
        expected_success(tally, &neighbours.take(NEIGHBOURS).collect::<Vec<_>>())
    }
}

impl Arm for Product {
    fn choose(&mut self, state: &Situation, taken: &[usize]) -> anyhow::Result<Vec<Vote>> {
        let candidates = self.candidates(&self.similarities(state));
        Ok(self.select(&candidates, state, taken))
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let (expected, used) = (self.expected(review.run.first()), self.used(review));
        let new = NewMemory::all(review, self.parts.per_run);
        // All memories of a run are compared with those before the run. Only the first one supersedes others.
        let mut contradicting = Vec::new();
        let mut placed = Vec::with_capacity(new.len());
        for memory in new {
            let similarities = self.similarities(&memory.state);
            if placed.is_empty() {
                contradicting = self.contradicting(&memory, &similarities);
            }
            let placement = self.placed(&memory, &similarities);
            placed.push((memory, placement));
        }
        for (place, (memory, placement)) in placed.into_iter().enumerate() {
            self.add(memory, placement, (place == 0).then_some(review.passed));
        }
        for memory in review.run.shown() {
            self.standings[memory].shown += 1;
        }
        for memory in used {
            let credit = &mut self.standings[memory].credit;
            *credit = credit.after(review.reward(), expected, None);
        }
        let found = contradicting.iter().map(|(memory, similarity)| Contradicting {
            memory_id: memory_id(*memory),
            similarity: *similarity,
            credit: self.standings[*memory].credit,
            is_protected: false,
        });
        let found: Vec<Contradicting> = found.collect();
        let decided = contradictions(self.parts.settings, review.passed, review.has_words(), false, &found);
        for memory in decided.superseded {
            self.standings[number(memory)].active = false;
        }
        self.reviews.push(review.passed);
        Ok(())
    }

    fn size(&self) -> (usize, usize) {
        let lessons: HashSet<usize> = self.active().map(|memory| self.standings[memory].lesson).collect();
        (self.active().count(), lessons.len())
    }
}

/// An id for a memory. As in the product, earlier memories have smaller ids.
fn memory_id(number: usize) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(number as u128))
}

/// The memory with this id.
fn number(id: MemoryId) -> usize {
    id.as_uuid().as_u128() as usize
}
