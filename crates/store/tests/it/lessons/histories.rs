//! Lessons over random histories: runs join, are absorbed, supersede, are withdrawn and erased, and people group, split, edit,
//! merge, disable and pin, in any order. After every step, numbers are what the ledgers say and the projections hold. Then
//! everything is taken back in another order, and the first memories are as before.

use std::collections::HashSet;

use futures::future::join_all;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use reflect_rules::lessons::{AdviceText, Joined, Placement, SameBy, advice_key};
use reflect_store::{
    ActionId, CurationRequest, Erased, ErasureTarget, LessonPlan, Linked, MemoryChange, MemoryState,
    NewErasure, NewMemoryRow, NewReview, NewText, NewTraceRow, PossibleContradiction, Presence, ProjectCtx,
    ReviewChange, SpaceId, Store, StoreFault, StoreSettings,
};
use reflect_test_support::TestDb;
use reflect_types::{KeyId, LessonId, Link, MemoryId, MemoryOrigin, ReviewId, ReviewResult, TraceId, Trust};
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::space;
use crate::curation::ledgers;
use crate::given;

const HISTORIES: u64 = 200;
const AT_ONCE: u64 = 4;
const STEPS: usize = 14;
const BASE: usize = 4;
const TASKS: [&str; 3] = ["sort", "search", "bake"];
const ACTIONS: [&str; 3] = ["use the library", "ask first", ""];

/// A run, its review, and the memories that came of it.
#[derive(Clone)]
struct Run {
    trace: TraceId,
    review: Option<ReviewId>,
    linked: Vec<MemoryId>,
}

struct History {
    project: ProjectCtx,
    space: SpaceId,
    random: SmallRng,
    /// Memories that are not erased, with their runs. The first ones are compared at the end.
    memories: Vec<(MemoryId, TraceId)>,
    runs: Vec<Run>,
    /// Actions of the server before the history begins.
    earlier: HashSet<ActionId>,
}

fn new_review(passed: bool) -> NewReview {
    let result = if passed { ReviewResult::Pass } else { ReviewResult::Fail };
    NewReview { result, ..given::reviewed("run").review.unwrap() }
}

impl History {
    fn one(&mut self) -> MemoryId {
        self.memories.choose(&mut self.random).unwrap().0
    }

    fn some(&mut self, share: f64) -> Vec<MemoryId> {
        let (all, random) = (self.memories.clone(), &mut self.random);
        all.into_iter().map(|(memory, _)| memory).filter(|_| random.random_bool(share)).collect()
    }

    fn new_memory(&mut self, linked: &[MemoryId]) -> NewMemoryRow {
        let task = TASKS.choose(&mut self.random).copied().unwrap();
        let action = ACTIONS.choose(&mut self.random).copied().unwrap();
        // Few texts, so that some are equal.
        let reflection = format!("lesson {}", self.random.random_range(0..8));
        let random = &mut self.random;
        let used = linked.iter().copied().filter(|_| random.random_bool(0.7)).collect();
        // Without an action it advises its tools, which its text does not contain.
        let approach = ["search".to_owned()];
        let text = AdviceText { correct_action: action, approach: &approach, reflection: &reflection };
        let lesson =
            LessonPlan { advice: advice_key(&text), placement: Placement::Own, ..LessonPlan::default() };
        NewMemoryRow {
            memory_id: MemoryId::generate(),
            origin: MemoryOrigin::Offline,
            task: task.to_owned(),
            reflection,
            summary: String::new(),
            guidance: String::new(),
            key_mistake: String::new(),
            correct_action: action.to_owned(),
            applicable_tools: Vec::new(),
            tools_used: Vec::new(),
            success: Some(random.random_bool(0.6)),
            metadata: json!({}),
            model: None,
            prompt_version: None,
            note: None,
            replaced: None,
            quarantined: false,
            flags: Vec::new(),
            trust: if random.random_bool(0.1) { Trust::Untrusted } else { Trust::Normal },
            author_key: KeyId::generate(),
            vectors: vec![(self.space, vec![random.random_range(-1.0..1.0), random.random_range(-1.0..1.0)])],
            used: random.random_bool(0.7).then_some(used),
            expected: Some(random.random_range(0.2..=0.8)),
            lesson,
        }
    }

    /// A lesson with a random plan, sometimes with a further step.
    fn planned(&mut self, linked: &[MemoryId]) -> NewMemoryRow {
        let target = self.one();
        let to = Joined { situation: target, lesson: target.into(), by: SameBy::Structure };
        let placement = match self.random.random_range(0..6) {
            0 => Placement::Apart,
            1 | 2 => Placement::Own,
            3 | 4 => Placement::Join(to),
            _ => Placement::Absorb(to),
        };
        let others: Vec<MemoryId> = self.some(0.3).into_iter().filter(|other| *other != target).collect();
        let protected = self.random.random_bool(0.2);
        let possible =
            |memory_id| PossibleContradiction { memory_id, similarity: 0.9, is_protected: protected };
        let mut memory = self.new_memory(linked);
        memory.lesson.placement = placement;
        memory.lesson.contradicting = others.into_iter().map(possible).collect();
        memory.lesson.has_words = self.random.random_bool(0.5);
        if self.random.random_bool(0.25) {
            let mut step = self.new_memory(&[]);
            step.lesson.placement = if self.random.random_bool(0.5) { Placement::Own } else { placement };
            (memory.lesson.step, step.lesson.step) = (Some(0), Some(1));
            memory.lesson.steps = vec![step];
        }
        memory
    }

    async fn record(&mut self) {
        let linked = self.some(0.4);
        let link = Linked { by: Link::Ids, memories: linked.clone(), retrieval: None, arm: None };
        let run = NewTraceRow { link, ..given::trace("sort") };
        self.project.traces().record(&run, None).await.unwrap();
        self.runs.push(Run { trace: run.trace_id, review: None, linked });
    }

    /// Reviews a run, or replaces its review. The lesson comes with it, later, or not at all.
    async fn review(&mut self, at: usize) {
        let run = self.runs[at].clone();
        let memory = self.planned(&run.linked);
        let review = new_review(memory.success == Some(true));
        let comes_along = self.random.random_bool(0.4);
        let change = ReviewChange {
            trace: run.trace,
            instead_of: run.review,
            review: Some(&review),
            lesson: comes_along.then_some(&memory),
        };
        assert!(self.project.reviews().change(&change, &given::actor(), None).await.unwrap());
        self.runs[at].review = Some(review.review_id);
        let learns = !comes_along && self.random.random_bool(0.8);
        let finished = match learns {
            true => self.project.learning().finish(run.trace, review.review_id, &memory).await.unwrap(),
            false => None,
        };
        if comes_along || finished.is_some() {
            let made = std::iter::once(&memory).chain(&memory.lesson.steps);
            self.memories.extend(made.map(|memory| (memory.memory_id, run.trace)));
        }
    }

    async fn withdraw(&mut self, at: usize) {
        let Run { trace, review, .. } = self.runs[at].clone();
        let change = ReviewChange { trace, instead_of: review, review: None, lesson: None };
        if review.is_some() {
            assert!(self.project.reviews().change(&change, &given::actor(), None).await.unwrap());
            self.runs[at].review = None;
        }
    }

    /// Erases a run whose review is withdrawn.
    async fn erase(&mut self, at: usize) {
        self.withdraw(at).await;
        let trace = self.runs.remove(at).trace;
        let erasure_id = Uuid::now_v7();
        let asked = NewErasure { erasure_id, target: ErasureTarget::Trace(trace), keep_memories: false };
        self.project.erasures().request(&asked, &given::actor(), None).await.unwrap();
        while self.project.erasures().erase_batch(erasure_id).await.unwrap() == Erased::Some {}
        self.memories.retain(|(_, of)| *of != trace);
    }

    async fn curate(
        &mut self,
        memories: &[MemoryId],
        texts: &[NewText],
        changes: Vec<(MemoryId, MemoryChange)>,
    ) {
        let request = CurationRequest {
            kind: "memory.test",
            summary: json!({}),
            memories,
            part_of: None,
            texts,
            regroups: true,
            answers: None,
        };
        let decide = |_: &[MemoryState]| Ok(changes.clone());
        self.project.curation().apply(&request, &given::actor(), &decide).await.unwrap();
    }

    async fn change(&mut self) {
        let (memory, lesson, wanted) = (self.one(), self.one(), self.random.random_bool(0.6));
        let reviews: Vec<ReviewId> = self.runs.iter().filter_map(|run| run.review).collect();
        let review = reviews.choose(&mut self.random).copied();
        let is_base = self.memories[..BASE].iter().any(|(base, _)| *base == memory);
        let change = match (self.random.random_range(0..8), review) {
            (0, _) => MemoryChange::Presence(Presence::Disabled),
            (1, _) => MemoryChange::Presence(Presence::Deleted),
            (2, _) => MemoryChange::Presence(Presence::Kept),
            (3, Some(review)) => MemoryChange::Presence(Presence::Superseded(review)),
            (4, _) if is_base => MemoryChange::Pinned(wanted),
            (5, _) => MemoryChange::Quarantined(wanted),
            _ if wanted => MemoryChange::Lesson(Some(LessonId::from(lesson))),
            _ => MemoryChange::Lesson(Some(LessonId::from(memory))),
        };
        self.curate(&[memory], &[], vec![(memory, change)]).await;
    }

    async fn edit(&mut self) {
        let memory = self.one();
        let (instead_of, mut fields) = self.project.memories().own_text(memory).await.unwrap();
        fields.reflection = format!("lesson {}", self.random.random_range(0..8));
        let text = NewText { memory_id: memory, instead_of, fields, vectors: Vec::new() };
        self.curate(&[memory], &[text], vec![(memory, MemoryChange::Halved)]).await;
    }

    async fn merge(&mut self) {
        let (survivor, donor) = (self.one(), self.one());
        if survivor == donor {
            return;
        }
        let states = self.project.memories().states(&[donor]).await.unwrap();
        let shares = states.iter().map(MemoryState::share).collect();
        let changes = vec![
            (donor, MemoryChange::Presence(Presence::Merged(survivor))),
            (survivor, MemoryChange::Pooled(shares)),
        ];
        self.curate(&[donor, survivor], &[], changes).await;
    }

    /// The actions that are not undone, those of the server included.
    async fn actions(&self) -> Vec<ActionId> {
        let (actions, _) = self.project.curation().actions(None, 1000, true).await.unwrap();
        let open = actions.into_iter().filter(|one| one.undone_at.is_none()).map(|one| one.action_id);
        open.filter(|action| !self.earlier.contains(action)).collect()
    }

    async fn undo(&mut self, action: ActionId) {
        while self.project.curation().undo_batch(action, &given::actor(), Trust::Normal).await.unwrap() {}
    }

    async fn step(&mut self) {
        let at = self.random.random_range(0..self.runs.len());
        match self.random.random_range(0..16) {
            0..3 => self.change().await,
            3 => self.edit().await,
            4 => self.merge().await,
            5 | 6 => {
                if let Some(action) = self.actions().await.choose(&mut self.random).copied() {
                    self.undo(action).await;
                }
            }
            7 | 8 => self.record().await,
            9 => self.withdraw(at).await,
            10 if self.runs.len() > 2 => self.erase(at).await,
            _ => self.review(at).await,
        }
    }

    async fn begin(&mut self) {
        for at in 0..BASE {
            let run = given::reviewed("sort");
            let review = run.review.as_ref().unwrap().review_id;
            self.project.traces().record(&run, None).await.unwrap();
            let mut memory = self.new_memory(&[]);
            memory.trust = Trust::Normal;
            memory.lesson.placement = if at == 1 { Placement::Apart } else { Placement::Own };
            self.project.learning().finish(run.trace_id, review, &memory).await.unwrap().unwrap();
            self.memories.push((memory.memory_id, run.trace_id));
        }
        for _ in 0..2 {
            self.record().await;
            self.review(self.runs.len() - 1).await;
        }
        // These reviews stay: the first memories have a past. What they added is not curated.
        self.runs.clear();
        self.memories.truncate(BASE);
        self.earlier = self.actions().await.into_iter().collect();
        self.record().await;
        self.record().await;
    }

    /// Takes back all that happened, in any order.
    async fn take_back(&mut self) {
        let mut deeds: Vec<Option<ActionId>> = self.actions().await.into_iter().map(Some).collect();
        deeds.extend((0..self.runs.len()).map(|_| None));
        deeds.shuffle(&mut self.random);
        let mut next = 0;
        for deed in deeds {
            match deed {
                Some(action) => self.undo(action).await,
                None => {
                    self.withdraw(next).await;
                    next += 1;
                }
            }
        }
    }

    fn base(&self) -> Vec<MemoryId> {
        self.memories[..BASE].iter().map(|(memory, _)| *memory).collect()
    }
}

/// The projections of the first memories, except counts of the ledger.
async fn projections(connection: &mut PgConnection, base: &[MemoryId]) -> Vec<String> {
    let statements = [
        "select (to_jsonb(m) - 'words')::text from memory m where memory_id = any($1) order by memory_id",
        "select (to_jsonb(s) - 'credited' - 'last_used' - 'entered' - 'refolds')::text
         from memory_stat s where memory_id = any($1) order by memory_id",
        "select concat('searched ', memory_id) from memory_vector where memory_id = any($1) order by memory_id",
        "select concat('parked ', memory_id) from parked_vector where memory_id = any($1) order by memory_id",
    ];
    let mut found = Vec::new();
    for statement in statements {
        let rows: Vec<String> =
            sqlx::query_scalar(statement).bind(base).fetch_all(&mut *connection).await.unwrap();
        found.extend(rows);
    }
    found
}

/// What must hold at any time, and a statement that counts where it does not.
const RULES: [(&str, &str); 7] = [
    (
        "P1: the lesson is what the curation ledger says",
        "select count(*) from memory_stat s
         cross join lateral (select coalesce(
           (select c.after from memory_change c where c.project_id = $1 and c.memory_id = s.memory_id and c.facet = 6
              and not c.undone order by c.seq desc limit 1),
           (select c.before from memory_change c where c.project_id = $1 and c.memory_id = s.memory_id and c.facet = 6
            order by c.seq limit 1)) as held) h
         where s.project_id = $1 and s.presence <> 4 and case when h.held is null then s.lesson_id <> s.memory_id
                                          else s.lesson_id is distinct from (h.held #>> '{}')::uuid end",
    ),
    (
        "P2: a situation counts those that are merged into it",
        "select count(*) from memory_stat s where s.project_id = $1 and coalesce(s.absorbed, 0) <> (
           select count(*) from memory_stat o
           where o.project_id = $1 and o.merged_into = s.memory_id and o.status = 5)",
    ),
    (
        "P3: a situation is superseded exactly if the curation ledger says so",
        "select count(*) from memory_stat s
         cross join lateral (select (
           select c.after ->> 'superseded' from memory_change c where c.project_id = $1 and c.memory_id = s.memory_id
             and c.facet = 0 and not c.undone order by c.seq desc limit 1)::uuid as review_id) h
         where s.project_id = $1 and s.presence <> 4
           and (s.superseded_by is distinct from h.review_id or (s.superseded_by is not null and s.presence <> 1))",
    ),
    (
        "P4: exactly active situations are searched",
        "select (select count(*) from memory_vector v join memory_stat s using (project_id, memory_id)
                 where project_id = $1 and s.status <> 1)
              + (select count(*) from parked_vector v join memory_stat s using (project_id, memory_id)
                 where project_id = $1 and s.status = 1)",
    ),
    (
        "I4: nothing is absorbed by a retired memory or superseded by a withdrawn review",
        "select count(*) from memory_stat s
         join memory_change c on c.project_id = $1 and c.memory_id = s.memory_id and c.facet = 0 and not c.undone
         where s.project_id = $1 and not s.retired and s.presence in (1, 3)
           and c.seq = (select max(l.seq) from memory_change l where l.project_id = $1 and l.memory_id = s.memory_id
                          and l.facet = 0 and not l.undone)
           and (exists (select from memory_stat t where t.project_id = $1 and t.retired
                          and t.memory_id = (c.after ->> 'absorbed')::uuid)
                or exists (select from review r where r.project_id = $1 and r.review_id = (c.after ->> 'superseded')::uuid
                             and (r.withdrawn_at is not null or r.superseded_by is not null)))",
    ),
    (
        "I4: an absorbed situation has the lesson of the one that absorbed it",
        "select count(*) from memory_stat s
         join memory_stat a on a.project_id = $1 and a.memory_id = s.merged_into
         where s.project_id = $1 and s.status = 5 and s.lesson_id is distinct from a.lesson_id
           and exists (select from memory_change c where c.project_id = $1 and c.memory_id = s.memory_id and c.facet = 0
                         and not c.undone and (c.after ->> 'absorbed')::uuid = s.merged_into)",
    ),
    (
        "I4: a completed run points to its situation or to the one that absorbed it",
        "select count(*) from trace_state t
         join memory m on m.project_id = $1 and m.source_review = t.review_id
         join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
         where t.project_id = $1 and t.reviewed and t.memory_id <> m.memory_id
           and (s.status <> 5 or t.memory_id is distinct from s.merged_into)",
    ),
];

async fn broken_rule(connection: &mut PgConnection, project: i32) -> Option<String> {
    for (rule, statement) in RULES {
        let wrong: i64 =
            sqlx::query_scalar(statement).bind(project).fetch_one(&mut *connection).await.unwrap();
        if wrong > 0 {
            return Some(format!("{rule}: {wrong} do not"));
        }
    }
    None
}

/// Runs a history. Returns what is wrong, if anything.
async fn run(db: &TestDb, store: &Store, space: SpaceId, seed: u64) -> Option<String> {
    let mut connection = db.superuser().await;
    let slug = format!("lessons-{seed}").parse().unwrap();
    let number = store.catalogue().ensure_project(&slug, &given::actor()).await.unwrap().number();
    let project = given::project(store, slug.as_str()).await;
    project.spaces().adopt(space).await.unwrap();
    let random = SmallRng::seed_from_u64(seed);
    let (memories, runs, earlier) = (Vec::new(), Vec::new(), HashSet::new());
    let mut history = History { project, space, random, memories, runs, earlier };
    history.begin().await;
    let base = history.base();
    let before = projections(&mut connection, &base).await;
    for step in 0..STEPS {
        history.step().await;
        let wrong = match broken_rule(&mut connection, number).await {
            None => ledgers::differing(&mut connection, &base).await,
            wrong => wrong,
        };
        if let Some(wrong) = wrong {
            return Some(format!("seed {seed}, step {step}: {wrong}"));
        }
    }
    let all: Vec<MemoryId> = history.memories.iter().map(|(memory, _)| *memory).collect();
    if let Some(wrong) = ledgers::differing(&mut connection, &all).await {
        return Some(format!("seed {seed}: {wrong}"));
    }
    history.take_back().await;
    let after = projections(&mut connection, &base).await;
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|line| !others.contains(line)).cloned().collect()
    };
    (before != after)
        .then(|| format!("seed {seed}: {:?} became {:?}", only(&before, &after), only(&after, &before)))
}

async fn open(db: &TestDb, fault: Option<StoreFault>) -> Store {
    // A fifth of the connections are for changes: each history has one, and waits for no other.
    let settings = StoreSettings { max_connections: 5 * AT_ONCE as u32, fault, ..db.settings() };
    Store::connect(&settings).await.unwrap()
}

/// Runs histories until one is wrong. Returns what is wrong.
async fn first_wrong(fault: Option<StoreFault>) -> Option<String> {
    let db = TestDb::create().await;
    let store = open(&db, fault).await;
    let space = space(&store).await;
    for first in (0..HISTORIES).step_by(AT_ONCE as usize) {
        let seeds = first..(first + AT_ONCE).min(HISTORIES);
        let wrong = join_all(seeds.map(|seed| run(&db, &store, space, seed))).await;
        if let Some(wrong) = wrong.into_iter().flatten().next() {
            return Some(wrong);
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lessons_can_be_taken_back_in_any_order_and_change_no_number() {
    assert_eq!(first_wrong(None).await, None);
}

#[cfg(debug_assertions)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_defect_is_noticed_within_the_histories() {
    for fault in [
        StoreFault::LessonWithoutChange,
        StoreFault::SupersededStaysSearched,
        StoreFault::AbsorbedNotCounted,
        StoreFault::AbsorptionSurvivesWithdrawal,
        StoreFault::GroupingPoolsCredit,
    ] {
        assert!(first_wrong(Some(fault)).await.is_some(), "{fault:?} is not noticed");
    }
}
