//! The product with lessons that hold many situations. The rules are its own: what is the same advice, which lesson a run
//! joins, what it supersedes, how lessons are served, and which weight replay selects. This module only provides the data
//! that a database would.

use std::collections::HashSet;
use std::iter::repeat_n;

use rand::RngExt;
use rand::rngs::SmallRng;
use reflect_engine::credit::{
    NEIGHBOURS, NEIGHBOURS_OF_MEMORY, Neighbour, RECENT_REVIEWS, ReviewTally, expected_success,
};
use reflect_engine::rank::{Considered, MOST_VOTES, Ranking, lessons, pool, rank};
use reflect_rules::inferred_use::{UseTally, inferred_use};
use reflect_rules::lessons::{
    AdviceKey, AdviceText, Contradicting, NearSituation, NewSituation, Placement, SituationKind, advice_key,
    contradictions, place,
};
use reflect_rules::replay::{Proof, REPLAYED, ReplayCandidate, ReplayScores};
use reflect_types::{Credit, LessonId, LessonSettings, MemoryId, WeightSource};

use super::judge::{Judge, Near};
use super::recommended::{EVEN, NO_THRESHOLD, expected, memory_id, number};
use super::{Arm, LIMIT, Question, Review, WEIGHT, highest};
use crate::environment::{Environment, Ground, Purpose, random};

/// How many stored situations the product compares a new one with.
const COMPARED: usize = 100;

/// What is known about which lessons a run used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownUse {
    /// Nothing: all that were shown count.
    Nothing,
    /// Everything.
    Exact,
    /// What can be told from the action and the advice. The first runs report what they used, until that is measured.
    Inferred,
}

/// The parts that differ between arms.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) settings: LessonSettings,
    pub(super) judge: Judge,
    /// The share of lessons with a correct action. The others have a text of their own.
    pub(super) with_action: f64,
    pub(super) known_use: KnownUse,
    /// Whether the bonus of a memory also ends when it was shown and not followed.
    pub(super) ends_when_shown: bool,
}

impl Default for Variant {
    /// The defaults of the product, with exact labels.
    fn default() -> Self {
        Self {
            settings: LessonSettings::default(),
            judge: Judge::Structure,
            with_action: 1.0,
            known_use: KnownUse::Exact,
            ends_when_shown: false,
        }
    }
}

/// A memory: a task with its own credit, and the lesson that it belongs to.
#[derive(Debug, Clone)]
struct Situation {
    /// The memory that founded its lesson.
    lesson: usize,
    key: Option<AdviceKey>,
    /// The tool that its lesson advises: that of the founder.
    advice: usize,
    is_active: bool,
    /// The memories that it absorbed.
    absorbed: Vec<usize>,
    credit: Credit,
    /// How many reviewed runs were shown it.
    shown: i32,
}

/// What a run will do to the bank.
#[derive(Debug)]
struct Plan {
    key: Option<AdviceKey>,
    placement: Placement,
    /// Memories that contradict it, with their similarities.
    contradicting: Vec<(usize, f32)>,
}

/// Lessons with situations.
#[derive(Debug)]
pub(super) struct Lessons {
    variant: Variant,
    /// The key of the advice to call each tool.
    keys: Vec<Option<AdviceKey>>,
    /// Draws which lessons have a correct action.
    structure: SmallRng,
    /// How similar the report of calling a tool is to the advice to call one.
    uses: Vec<Vec<f32>>,
    /// How similar used and unused lessons were to what runs did, as they reported it.
    reported: UseTally,
    imported: usize,
    situations: Vec<Situation>,
    replay: ReplayScores,
    plan: Option<Plan>,
}

impl Lessons {
    pub(super) fn new(ground: &Ground, variant: Variant) -> Self {
        let key = |tool: usize| {
            let correct_action = format!("Call the tool {tool}");
            advice_key(&AdviceText { correct_action: &correct_action, approach: &[], reflection: "" })
        };
        Self {
            variant,
            keys: (0..ground.uses.len()).map(key).collect(),
            structure: random(ground.seed, Purpose::Structure),
            uses: ground.uses.clone(),
            reported: UseTally::default(),
            imported: 0,
            situations: Vec::new(),
            replay: ReplayScores::default(),
            plan: None,
        }
    }

    fn active(&self) -> impl Iterator<Item = (usize, &Situation)> {
        self.situations.iter().enumerate().filter(|(_, situation)| situation.is_active)
    }

    /// The situations near a task: the nearest ones, and the nearest one with the same advice.
    fn near(&self, row: &[f32], key: Option<AdviceKey>) -> Vec<Near> {
        let mut nearest = highest(self.active().map(|(memory, _)| (memory, row[memory])), COMPARED);
        let same = self.active().filter(|(_, situation)| key.is_some() && situation.key == key);
        let same = highest(same.map(|(memory, _)| (memory, row[memory])), 1);
        let same = same.into_iter().find(|same| !nearest.contains(same));
        nearest.extend(same);
        let near = nearest.into_iter().map(|(memory, similarity)| {
            let Situation { lesson, key, advice, .. } = self.situations[memory];
            Near { memory, lesson, similarity, key, advice }
        });
        near.collect()
    }

    /// Decides where a new situation belongs.
    fn plan(&mut self, advice: usize, row: &[f32], settings: LessonSettings) -> (Plan, Vec<Near>) {
        let has_action = self.structure.random_bool(self.variant.with_action);
        let key = if has_action {
            self.keys[advice]
        } else {
            let text = format!("Case {}: call the tool {advice}", self.situations.len());
            advice_key(&AdviceText { correct_action: "", approach: &[], reflection: &text })
        };
        let near = self.near(row, key);
        let judged = self.variant.judge.compare(key, advice, &near);
        let compared = near.iter().zip(&judged).map(|(near, judgement)| NearSituation {
            memory_id: memory_id(near.memory),
            lesson: lesson_id(near.lesson),
            similarity: near.similarity,
            relation: judgement.relation,
            by: judgement.by,
            untrusted: false,
            absorbed: length(&self.situations[near.memory].absorbed),
        });
        let new = NewSituation {
            kind: SituationKind::Task,
            settings,
            untrusted: false,
            quarantined: false,
            followed: &[],
        };
        let placement = place(&new, &compared.collect::<Vec<_>>());
        let contradicting = near.iter().zip(&judged).filter(|(_, judgement)| judgement.contradicts);
        let contradicting = contradicting.map(|(near, _)| (near.memory, near.similarity)).collect();
        (Plan { key, placement, contradicting }, near)
    }

    /// Adds a situation. Returns the tool that its lesson advises, or `None` if it was absorbed.
    fn put(&mut self, advice: usize, plan: &Plan) -> Option<usize> {
        let new = self.situations.len();
        let mut situation = Situation {
            lesson: new,
            key: plan.key,
            advice,
            is_active: true,
            absorbed: Vec::new(),
            credit: Credit::START,
            shown: 0,
        };
        if let Some(joined) = plan.placement.joined() {
            let target = &mut self.situations[number(joined.situation)];
            (situation.lesson, situation.advice) = (target.lesson, target.advice);
            if matches!(plan.placement, Placement::Absorb(_)) {
                situation.is_active = false;
                target.absorbed.push(new);
            }
        }
        let advises = situation.is_active.then_some(situation.advice);
        self.situations.push(situation);
        advises
    }

    /// The weight of utility if a request names none.
    fn weight(&self) -> f32 {
        match self.variant.settings.utility_weight {
            WeightSource::Default => WEIGHT,
            WeightSource::Replay => self.replay.weight(),
        }
    }

    /// The expected outcome of a run. As in the product, reviews are found by the searched memories of their runs.
    fn expected(&self, review: &Review<'_>) -> f32 {
        if self.situations.len() == self.imported {
            // No run has a memory: in a bank that does not grow, reviews are found by their tasks.
            return expected(review);
        }
        let recent = &review.reviews[review.reviews.len().saturating_sub(RECENT_REVIEWS)..];
        let count = |passes: usize| u32::try_from(passes).unwrap_or(u32::MAX);
        let tally = ReviewTally {
            reviews: count(recent.len()),
            passes: count(recent.iter().filter(|passed| **passed).count()),
        };
        let of_runs = self
            .active()
            .filter(|(memory, situation)| *memory >= self.imported || !situation.absorbed.is_empty());
        let nearest = highest(of_runs.map(|(memory, _)| (memory, review.similarities[memory])), NEIGHBOURS);
        let (imported, reviews) = (self.imported, review.reviews);
        let neighbours = nearest.into_iter().flat_map(|(memory, similarity)| {
            // Absorbed runs are newer than the memory.
            let newest = self.situations[memory].absorbed.iter().rev().copied().chain([memory]);
            let tasks = newest.filter_map(move |one| one.checked_sub(imported)).take(NEIGHBOURS_OF_MEMORY);
            tasks.map(move |task| Neighbour { similarity, passed: reviews[task] })
        });
        expected_success(tally, &neighbours.take(NEIGHBOURS).collect::<Vec<_>>())
    }

    /// The memories of a run that count as used.
    fn used(&mut self, review: &Review<'_>, shown: &[usize]) -> Vec<usize> {
        let followed =
            || -> Vec<usize> { shown.iter().copied().filter(|memory| review.followed(*memory)).collect() };
        match self.variant.known_use {
            KnownUse::Nothing => shown.to_vec(),
            KnownUse::Exact => followed(),
            KnownUse::Inferred => self.inferred(review, shown).unwrap_or_else(followed),
        }
    }

    /// The memories that the rule takes for used. Until it is reliable, the client reports what it used, which measures it.
    fn inferred(&mut self, review: &Review<'_>, shown: &[usize]) -> Option<Vec<usize>> {
        let advice = &self.uses[review.decision.action];
        let similarity = |memory: usize| advice[self.situations[memory].advice];
        let compared: Vec<(MemoryId, f32)> =
            shown.iter().map(|memory| (memory_id(*memory), similarity(*memory))).collect();
        let rule = self.reported.rule();
        if !rule.is_reliable() {
            for (memory, similarity) in compared {
                self.reported = self.reported.after(similarity, review.followed(number(memory)));
            }
            return None;
        }
        let used = inferred_use(&rule, &compared);
        Some(used.unwrap_or_default().into_iter().map(number).collect())
    }

    /// Scores the weights by what this review proved.
    fn replay(&mut self, review: &Review<'_>, near: &[Near], placement: Placement) {
        let is_proof = review.passed || review.has_words;
        let followed = review.shown.iter().find(|memory| review.followed(**memory));
        let proof = match (is_proof, placement.joined(), followed) {
            (true, Some(joined), _) => Proof::Right(joined.lesson.as_uuid()),
            (false, _, Some(memory)) => Proof::Wrong(lesson_id(self.situations[*memory].lesson).as_uuid()),
            _ => return,
        };
        let candidates = near.iter().take(REPLAYED).map(|near| ReplayCandidate {
            memory_id: memory_id(near.memory),
            similarity: near.similarity,
            utility: self.situations[near.memory].credit.utility(),
            lesson: lesson_id(near.lesson).as_uuid(),
        });
        self.replay = self.replay.after(&candidates.collect::<Vec<_>>(), LIMIT, &proof);
    }

    /// Supersedes what a run contradicts.
    fn supersede(&mut self, review: &Review<'_>, plan: &Plan) {
        let found = plan.contradicting.iter().map(|(memory, similarity)| Contradicting {
            memory_id: memory_id(*memory),
            similarity: *similarity,
            credit: self.situations[*memory].credit,
            is_protected: false,
        });
        let found: Vec<Contradicting> = found.collect();
        let settings = self.variant.settings;
        for memory in contradictions(settings, review.passed, review.has_words, false, &found).superseded {
            self.situations[number(memory)].is_active = false;
        }
    }
}

impl Arm for Lessons {
    /// Groups the imported memories as the product groups existing ones: none is absorbed.
    fn import(&mut self, environment: &Environment<'_>) -> Vec<usize> {
        let settings = LessonSettings { absorb: false, ..self.variant.settings };
        let imported = environment.advice.iter().enumerate();
        let advised = imported.map(|(memory, advice)| {
            let (plan, _) = self.plan(*advice, environment.ground.imported_row(memory), settings);
            self.put(*advice, &plan).unwrap_or(*advice)
        });
        let advised = advised.collect();
        self.imported = self.situations.len();
        advised
    }

    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let similar = self.active().map(|(memory, _)| (memory, question.similarities[memory]));
        let considered = highest(similar, pool(LIMIT)).into_iter().map(|(memory, similarity)| {
            let Situation { lesson, credit, shown, ref absorbed, .. } = self.situations[memory];
            Considered {
                memory_id: memory_id(memory),
                similarity,
                q: if self.variant.ends_when_shown { credit.utility_when_shown(shown) } else { EVEN },
                credit,
                untrusted: None,
                lesson: Some(lesson_id(lesson).as_uuid()),
                text: None,
                absorbed: length(absorbed),
            }
        });
        let considered: Vec<Considered> = considered.collect();
        let ranking = if self.variant.ends_when_shown { Ranking::Classic } else { Ranking::Learned };
        let ranked = rank(&considered, ranking, self.weight(), NO_THRESHOLD);
        let served = lessons(ranked.clone(), &considered, LIMIT);
        let covered = served.covered.iter().map(|(one, _)| one);
        let selected: HashSet<MemoryId> =
            served.chosen.iter().chain(covered).map(|one| one.memory_id).collect();
        // The agent sees each situation with its similarity, so votes are not added up per lesson.
        let mut shown = Vec::with_capacity(LIMIT);
        for one in ranked.iter().filter(|one| selected.contains(&one.memory_id)) {
            let memory = number(one.memory_id);
            let votes = (1 + self.situations[memory].absorbed.len()).min(MOST_VOTES).min(LIMIT - shown.len());
            shown.extend(repeat_n(memory, votes));
        }
        Ok(shown)
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        let (plan, near) = self.plan(review.lesson, review.similarities, self.variant.settings);
        self.replay(review, &near, plan.placement);
        let (expected, reward) = (self.expected(review), review.reward());
        let mut shown = review.shown.to_vec();
        shown.dedup();
        for memory in self.used(review, &shown) {
            let situation = &mut self.situations[memory];
            situation.credit = situation.credit.after(reward, expected, None);
        }
        for memory in shown {
            self.situations[memory].shown += 1;
        }
        self.plan = Some(plan);
        Ok(())
    }

    fn add(&mut self, review: &Review<'_>) -> Option<usize> {
        let plan = self.plan.take()?;
        self.supersede(review, &plan);
        self.put(review.lesson, &plan)
    }

    fn is_active(&self, memory: usize) -> bool {
        self.situations[memory].is_active
    }

    fn lesson(&self, memory: usize) -> usize {
        self.situations[memory].lesson
    }
}

fn length(memories: &[usize]) -> i32 {
    i32::try_from(memories.len()).unwrap_or(i32::MAX)
}

fn lesson_id(founder: usize) -> LessonId {
    LessonId::from(memory_id(founder))
}
