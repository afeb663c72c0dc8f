//! Which lesson a new situation joins, and which situations it contradicts: by structure, then by the answer of a model.

use std::collections::HashSet;

use reflect_rules::lessons::{
    AdviceKey, AdviceKind, AdviceText, JOINS, NearSituation, NewSituation, Placement, Relation, SameBy,
    advice_key, is_structured, place, relation,
};
use reflect_rules::replay::{Proof, REPLAYED, ReplayCandidate};
use reflect_store::{
    LearnInput, LessonPlan, NearRow, NewMemoryRow, PossibleContradiction, ReplayStep, SpaceId, Store,
    StoreError,
};
use reflect_types::{
    Credit, LessonGrouping, LessonId, LessonSettings, MemoryId, MemoryOrigin, ProjectId, Ranking, Trust,
    UseSource, memory_value,
};
use serde_json::Value;

use super::advice_model::AdviceModel;
use crate::project_cache::{self, ProjectCache};

/// How many of the nearest situations are compared.
const NEAREST: i64 = 100;
/// How many lessons a model is asked about.
const MOST_ASKED: usize = 3;
/// How many votes an answer of the replay has.
const REPLAY_LIMIT: usize = 5;

/// What follows from the comparison of a new situation with stored ones.
#[derive(Debug)]
pub(super) struct Planned {
    /// The plan, without the other situations of the run.
    pub(super) plan: LessonPlan,
    /// What the review says about the ranking of the nearest situations, if anything.
    pub(super) replay: Option<ReplayStep>,
}

/// Plans the lessons of new situations.
#[derive(Debug, Clone)]
pub(crate) struct LessonPlanner {
    store: Store,
    projects: ProjectCache,
    models: AdviceModel,
}

impl LessonPlanner {
    pub(crate) const fn new(store: Store, projects: ProjectCache, models: AdviceModel) -> Self {
        Self { store, projects, models }
    }

    /// Compares a new situation with stored ones. `task` is the vector of its task, if there is one. `ask_model`: there is
    /// time to ask a model about lessons that structure does not tell apart.
    pub(super) async fn plan(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &NewMemoryRow,
        task: Option<&(SpaceId, Vec<f32>)>,
        ask_model: bool,
    ) -> Result<Planned, StoreError> {
        let facts = self.projects.settings_facts(project).await?;
        let settings = project_cache::settings(&facts.settings).lessons;
        let advice = advice_of(memory);
        let mut near = match task {
            Some((space, vector)) if is_compared(memory) => {
                let context = self.store.project(project);
                let rows = context.lessons().near(*space, vector, advice, NEAREST).await?;
                compared(rows, memory)
            }
            _ => Vec::new(),
        };
        // If structure tells which lesson it joins, no model is asked.
        let is_told = joins(settings, memory, &near).joined().is_some();
        if ask_model && settings.grouping == LessonGrouping::Automatic && !is_told {
            self.add_opinions(project, input, memory, &mut near).await?;
        }
        let placement = joins(settings, memory, &near);
        let replay = replay(memory, &input.linked, &near, placement);
        let plan = LessonPlan {
            advice: stored_advice(advice, placement),
            placement,
            settings,
            contradicting: contradicting(settings, memory, &near),
            ..memory.lesson.clone()
        };
        Ok(Planned { plan, replay })
    }

    /// Adds what a model says about lessons whose relation is not known. An answer is stored at once and used again by the
    /// next attempt.
    async fn add_opinions(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &NewMemoryRow,
        near: &mut [Compared],
    ) -> Result<(), StoreError> {
        if let Some(stored) = &input.relations {
            apply(near, &read(stored));
            return Ok(());
        }
        let asked = doubtful(near);
        if asked.is_empty() {
            return Ok(());
        }
        let others: Vec<(MemoryId, &str)> =
            asked.iter().map(|one| (one.row.memory_id, one.row.reflection.as_str())).collect();
        let context = self.store.project(project);
        let answered = self.models.relations(&context, project, &memory.reflection, &others).await;
        let Some((relations, cost)) = answered else { return Ok(()) };
        context.learning().save_relations(input.review_id, &stored_form(&relations), cost).await?;
        apply(near, &relations);
        Ok(())
    }
}

/// A stored situation, and how its advice is related to that of the new one.
#[derive(Debug, Clone)]
struct Compared {
    row: NearRow,
    relation: Relation,
    by: SameBy,
}

impl Compared {
    /// Its lesson. A situation that is not grouped founds one when it is joined.
    fn lesson(&self) -> LessonId {
        self.row.lesson_id.unwrap_or_else(|| LessonId::from(self.row.memory_id))
    }
}

/// Untrusted and quarantined situations found their own lesson, so they are not compared.
fn is_compared(memory: &NewMemoryRow) -> bool {
    memory.trust != Trust::Untrusted && !memory.quarantined
}

/// The key of the advice. A lesson that was composed from a run that passed advises its tools, and its text says nothing
/// else. A lesson of a model can be about the result, so its text decides.
fn advice_of(memory: &NewMemoryRow) -> Option<AdviceKey> {
    let is_composed = describes_run(memory) && memory.origin == MemoryOrigin::Offline;
    let approach = if is_composed { memory.tools_used.as_slice() } else { &[] };
    advice_key(&AdviceText {
        correct_action: &memory.correct_action,
        approach,
        reflection: &memory.reflection,
    })
}

/// The advice that is stored. A situation that joins a lesson because its run followed it is shown with the words of that
/// lesson, so runs with its own words or tools must not join through it.
fn stored_advice(advice: Option<AdviceKey>, placement: Placement) -> Option<AdviceKey> {
    let has_followed = placement.joined().is_some_and(|joined| joined.by == SameBy::Use);
    advice.filter(|_| !has_followed)
}

/// Whether a run passed and its review has no words.
fn describes_run(memory: &NewMemoryRow) -> bool {
    memory.success == Some(true) && !memory.lesson.has_words
}

/// Compares keys, nearest first. Two different actions contradict each other only if both are structured.
fn compared(mut rows: Vec<NearRow>, memory: &NewMemoryRow) -> Vec<Compared> {
    rows.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    let advice = advice_of(memory);
    let is_new_structured = is_structured(&memory.correct_action, memory.model.is_some());
    let by = match advice.map(AdviceKey::kind) {
        Some(AdviceKind::Text) => SameBy::Text,
        Some(AdviceKind::Approach) => SameBy::Approach,
        Some(AdviceKind::Action) | None => SameBy::Structure,
    };
    let compared = rows.into_iter().map(|row| {
        let are_structured = is_new_structured && is_structured(&row.correct_action, row.by_model);
        let relation = match relation(advice, row.advice.map(AdviceKey::from_uuid)) {
            Relation::Contradicts if !are_structured => Relation::Unknown,
            relation => relation,
        };
        Compared { row, relation, by }
    });
    compared.collect()
}

/// The nearest lessons that structure does not tell apart from the new one.
fn doubtful(near: &[Compared]) -> Vec<&Compared> {
    let mut lessons = HashSet::new();
    let unknown = near.iter().filter(|one| {
        one.relation == Relation::Unknown
            && one.row.similarity >= JOINS
            && !one.row.untrusted
            && !one.row.reflection.is_empty()
    });
    unknown.filter(|one| lessons.insert(one.row.lesson_key)).take(MOST_ASKED).collect()
}

/// What is said about one situation holds for its lesson.
fn apply(near: &mut [Compared], relations: &[(MemoryId, Relation)]) {
    for (memory, relation) in relations {
        let lesson = near.iter().find(|one| one.row.memory_id == *memory).map(|one| one.row.lesson_key);
        let same_lesson = near.iter_mut().filter(|one| Some(one.row.lesson_key) == lesson);
        for one in same_lesson.filter(|one| one.relation == Relation::Unknown) {
            (one.relation, one.by) = (*relation, SameBy::Model);
        }
    }
}

/// Relations as they are stored: an object of ids and words.
fn stored_form(relations: &[(MemoryId, Relation)]) -> Value {
    relations
        .iter()
        .map(|(memory, relation)| (memory.to_string(), serde_json::to_value(relation).unwrap_or_default()))
        .collect()
}

/// Stored relations. What this version cannot read is left out.
fn read(stored: &Value) -> Vec<(MemoryId, Relation)> {
    let entries = stored.as_object().into_iter().flatten();
    entries
        .filter_map(|(memory, relation)| {
            Some((memory.parse().ok()?, serde_json::from_value(relation.clone()).ok()?))
        })
        .collect()
}

fn joins(settings: LessonSettings, memory: &NewMemoryRow, near: &[Compared]) -> Placement {
    let followed: Vec<LessonId> = match may_follow(memory) {
        true => near.iter().filter(|one| is_used(memory, one)).map(Compared::lesson).collect(),
        false => Vec::new(),
    };
    let new = NewSituation {
        kind: memory.lesson.kind,
        settings,
        untrusted: memory.trust == Trust::Untrusted,
        quarantined: memory.quarantined,
        followed: &followed,
    };
    let near = near.iter().map(|one| NearSituation {
        memory_id: one.row.memory_id,
        lesson: one.lesson(),
        similarity: one.row.similarity,
        relation: one.relation,
        by: one.by,
        untrusted: one.row.untrusted,
        absorbed: one.row.absorbed,
    });
    place(&new, &near.collect::<Vec<_>>())
}

/// Whether a run can belong to a lesson because it used it: its memory has neither words nor an action of its own, and the
/// client or a model said what it used. Inferred use is a similarity of texts, which says too little.
fn may_follow(memory: &NewMemoryRow) -> bool {
    describes_run(memory)
        && advice_of(memory).is_none_or(|key| key.kind() != AdviceKind::Action)
        && matches!(memory.lesson.used_by, Some(UseSource::Client | UseSource::Model))
}

fn is_used(memory: &NewMemoryRow, one: &Compared) -> bool {
    memory.used.as_ref().is_some_and(|used| used.contains(&one.row.memory_id))
}

/// The situations that contradict the new one and are near enough. Their evidence decides when it is stored.
fn contradicting(
    settings: LessonSettings,
    memory: &NewMemoryRow,
    near: &[Compared],
) -> Vec<PossibleContradiction> {
    if !settings.supersede || !proves(memory) {
        return Vec::new();
    }
    let from = memory.lesson.kind.contradicts();
    let against = near.iter().filter(|one| one.relation == Relation::Contradicts);
    let against = against.filter(|one| one.row.similarity >= from).map(|one| PossibleContradiction {
        memory_id: one.row.memory_id,
        similarity: one.row.similarity,
        is_protected: one.row.is_protected,
    });
    against.collect()
}

/// Whether the review says what is right: a pass, or a failure with words.
fn proves(memory: &NewMemoryRow) -> bool {
    memory.success == Some(true) || memory.lesson.has_words
}

/// What the review says about the ranking of the nearest situations: which lesson was right, or which one was followed and
/// was wrong. Of several, that is the lesson of the memory that was ranked first (`linked`).
fn replay(
    memory: &NewMemoryRow,
    linked: &[MemoryId],
    near: &[Compared],
    placement: Placement,
) -> Option<ReplayStep> {
    let lesson_of = |memory: &MemoryId| {
        near.iter().find(|one| one.row.memory_id == *memory).map(|one| one.row.lesson_key)
    };
    let proof = match proves(memory) {
        true => Proof::Right(lesson_of(&placement.joined()?.situation)?),
        false => {
            let used = memory.used.as_deref().unwrap_or_default();
            Proof::Wrong(linked.iter().filter(|memory| used.contains(memory)).find_map(lesson_of)?)
        }
    };
    let candidates = near.iter().take(REPLAYED).map(candidate).collect();
    Some(ReplayStep { candidates, limit: REPLAY_LIMIT, proof })
}

fn candidate(one: &Compared) -> ReplayCandidate {
    let NearRow { memory_id, similarity, q, credit, evidence, is_bounded, lesson_key, .. } = one.row;
    let utility = memory_value(Ranking::Learned, q, Credit::stored(credit, evidence), is_bounded);
    ReplayCandidate { memory_id, similarity, utility, lesson: lesson_key }
}

#[cfg(test)]
mod tests {
    use reflect_rules::lessons::{Joined, MOST_ABSORBED};
    use reflect_types::ReviewResult;
    use serde_json::json;
    use uuid::Uuid;

    use super::super::draft::{LessonDraft, Origin, memory};
    use super::super::lesson::AuthoredLesson;
    use super::super::test_input::input;
    use super::*;

    fn action(action: &str) -> Option<AdviceKey> {
        advice_key(&AdviceText { correct_action: action, approach: &[], reflection: "" })
    }

    fn row(number: u128, similarity: f32, advice: Option<AdviceKey>) -> NearRow {
        let memory_id = MemoryId::from_uuid(Uuid::from_u128(number));
        NearRow {
            memory_id,
            lesson_id: Some(LessonId::from(memory_id)),
            lesson_key: memory_id.as_uuid(),
            similarity,
            q: 0.5,
            credit: 0.5,
            evidence: 0,
            advice: advice.map(AdviceKey::as_uuid),
            correct_action: String::new(),
            by_model: false,
            untrusted: false,
            is_bounded: false,
            absorbed: 0,
            is_protected: false,
            reflection: "Look first.".to_owned(),
        }
    }

    fn new(result: ReviewResult, correct_action: &str) -> NewMemoryRow {
        let text = AuthoredLesson { correct_action: correct_action.to_owned(), ..AuthoredLesson::default() };
        let draft =
            LessonDraft { text, origin: Origin::Author, used: None, tools_used: vec!["search".into()] };
        memory(&input(result, None), draft)
    }

    fn against(memory: &NewMemoryRow, near: &[Compared]) -> Vec<u128> {
        let found = contradicting(LessonSettings::default(), memory, near);
        found.iter().map(|one| one.memory_id.as_uuid().as_u128()).collect()
    }

    #[test]
    fn the_same_action_joins_and_another_one_contradicts() {
        let memory = new(ReviewResult::Pass, "refund");
        let rows =
            vec![row(1, 0.85, action("replace")), row(2, 0.9, action("refund")), row(3, 0.7, action("wait"))];
        let near = compared(rows, &memory);
        let placed = joins(LessonSettings::default(), &memory, &near);
        assert_eq!(placed.joined().map(|joined| joined.situation), Some(near[0].row.memory_id));
        assert_eq!(against(&memory, &near), [1], "3 is not similar enough");
        assert_eq!(near[0].by, SameBy::Structure);
    }

    #[test]
    fn sentences_of_a_model_do_not_contradict_by_themselves() {
        let by_model = |text: &str| NewMemoryRow { model: Some("m".into()), ..new(ReviewResult::Fail, text) };
        let memory = by_model("Refund the order after a look at the price.");
        let near = |memory: &NewMemoryRow| compared(vec![row(1, 0.9, action("Pay it back."))], memory);
        assert_eq!(near(&memory)[0].relation, Relation::Unknown);
        assert_eq!(doubtful(&near(&memory)).len(), 1);
        assert_eq!(near(&by_model("Use refund"))[0].relation, Relation::Contradicts);
        let by_person = NewMemoryRow { model: None, ..memory };
        assert_eq!(near(&by_person)[0].relation, Relation::Contradicts);

        let text = "Use the refund tool after looking up the order";
        let stored =
            |by_model| NearRow { correct_action: text.to_owned(), by_model, ..row(1, 0.85, action(text)) };
        let new = new(ReviewResult::Pass, "Use refund");
        assert!(against(&new, &compared(vec![stored(true)], &new)).is_empty());
        assert_eq!(against(&new, &compared(vec![stored(false)], &new)), [1]);
    }

    #[test]
    fn a_model_is_asked_about_the_three_nearest_lessons_and_its_answer_holds_for_their_situations() {
        let other =
            |number, similarity| NearRow { lesson_key: Uuid::from_u128(1), ..row(number, similarity, None) };
        let rows = vec![
            other(1, 0.9),
            other(2, 0.8),
            NearRow { untrusted: true, ..row(3, 0.79, None) },
            row(4, 0.7, None),
            row(5, 0.6, None),
            row(6, 0.55, None),
            row(7, 0.4, None),
        ];
        let mut near = compared(rows, &new(ReviewResult::Pass, "refund"));
        let asked: Vec<u128> =
            doubtful(&near).iter().map(|one| one.row.memory_id.as_uuid().as_u128()).collect();
        assert_eq!(asked, [1, 4, 5]);

        let said = [(near[0].row.memory_id, Relation::Same)];
        assert_eq!(read(&stored_form(&said)), said);
        apply(&mut near, &said);

        let known: Vec<_> = near.iter().map(|one| one.relation).take(3).collect();
        assert_eq!(known, [Relation::Same, Relation::Same, Relation::Unknown]);
        assert_eq!(near[1].by, SameBy::Model);
        assert!(read(&json!({ "no id": "same", (said[0].0.to_string()): "unheard of" })).is_empty());
    }

    #[test]
    fn a_pass_without_words_advises_its_tools_and_joins_what_it_used() {
        let mut memory = composed("Paris");
        assert_eq!(advice_of(&memory).map(AdviceKey::kind), Some(AdviceKind::Approach));
        memory.used = Some(vec![row(2, 0.0, None).memory_id]);
        memory.lesson.used_by = Some(UseSource::Client);
        let near = compared(vec![row(1, 0.9, None), row(2, 0.6, None)], &memory);
        let placed = joins(LessonSettings::default(), &memory, &near);
        let joined = placed.joined().unwrap();
        assert_eq!((joined.situation, joined.by), (near[1].row.memory_id, SameBy::Use));
        assert_eq!(stored_advice(advice_of(&memory), placed), None, "it is shown with other words");
        assert_eq!(stored_advice(advice_of(&memory), Placement::Own), advice_of(&memory));

        let is_own =
            |memory: &NewMemoryRow| joins(LessonSettings::default(), memory, &near) == Placement::Own;
        let mut by_model = memory.clone();
        by_model.lesson.used_by = Some(UseSource::Model);
        assert!(!is_own(&by_model));
        let mut inferred = memory.clone();
        inferred.lesson.used_by = Some(UseSource::Text);
        assert!(is_own(&inferred), "similar texts do not show that the advice is the same");
        assert!(
            is_own(&NewMemoryRow { correct_action: "refund".into(), ..memory.clone() }),
            "another action"
        );
        memory.lesson.has_words = true;
        assert!(is_own(&memory));
    }

    /// A pass without words that used one tool, with this text.
    fn composed(reflection: &str) -> NewMemoryRow {
        let mut memory = new(ReviewResult::Pass, "");
        (memory.origin, memory.lesson.has_words) = (MemoryOrigin::Offline, false);
        memory.reflection = reflection.to_owned();
        memory
    }

    #[test]
    fn the_same_tools_are_joined_and_not_absorbed_and_words_of_a_model_are_no_tools() {
        let memory = composed("Approach: called search. It was judged right.");
        let near = compared(vec![row(1, 1.0, advice_of(&memory))], &memory);
        let placed = joins(LessonSettings::default(), &memory, &near);
        assert!(matches!(placed, Placement::Join(Joined { by: SameBy::Approach, .. })), "{placed:?}");

        let by_model = |text: &str| NewMemoryRow { origin: MemoryOrigin::Review, ..composed(text) };
        let (paris, rome) = (advice_of(&by_model("Paris")), advice_of(&by_model("Rome")));
        assert_eq!(paris.map(AdviceKey::kind), Some(AdviceKind::Text));
        assert_ne!(paris, rome, "the same tools with another result are other advice");
        let without_tools = NewMemoryRow { tools_used: Vec::new(), ..composed("Paris") };
        assert_eq!(advice_of(&without_tools), paris);
    }

    #[test]
    fn a_situation_that_absorbed_enough_runs_is_joined() {
        let memory = new(ReviewResult::Pass, "refund");
        let full = NearRow { absorbed: MOST_ABSORBED, ..row(1, 1.0, action("refund")) };
        let placed = |row: NearRow| joins(LessonSettings::default(), &memory, &compared(vec![row], &memory));
        assert!(matches!(placed(full), Placement::Join(_)));
        assert!(matches!(placed(row(1, 1.0, action("refund"))), Placement::Absorb(_)));
    }

    #[test]
    fn a_review_says_which_lesson_was_right_or_which_one_was_wrong() {
        let mut memory = new(ReviewResult::Pass, "refund");
        let near = compared(vec![row(1, 0.9, None), row(2, 0.6, action("refund"))], &memory);
        let linked = [near[1].row.memory_id, near[0].row.memory_id];
        let proof = |memory: &NewMemoryRow, placement| {
            replay(memory, &linked, &near, placement).map(|step| step.proof)
        };
        let joined = joins(LessonSettings::default(), &memory, &near);
        assert_eq!(proof(&memory, joined), Some(Proof::Right(Uuid::from_u128(2))));
        assert_eq!(proof(&memory, Placement::Own), None);
        (memory.success, memory.lesson.has_words) = (Some(false), false);
        assert_eq!(proof(&memory, Placement::Own), None);
        memory.used = Some(vec![near[0].row.memory_id]);
        assert_eq!(proof(&memory, Placement::Own), Some(Proof::Wrong(Uuid::from_u128(1))));
        memory.used = Some(vec![near[0].row.memory_id, near[1].row.memory_id]);
        assert_eq!(proof(&memory, Placement::Own), Some(Proof::Wrong(Uuid::from_u128(2))), "ranked first");
        assert!(against(&memory, &near).is_empty());
    }
}
