//! Curation over random histories: memories are changed, edited, merged and reviewed in a random order. Then everything
//! is undone in another random order. The state must be the same as before.

pub(crate) mod ledgers;
mod merges;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use reflect_store::{
    ActionId, CurationRequest, LessonPlan, Linked, MemoryChange, MemoryState, NewMemoryRow, NewReview,
    NewText, NewTraceRow, Presence, ProjectCtx, ReviewChange, SpaceId, SpaceName, Store, StoreSettings,
    TextFields,
};
use reflect_test_support::TestDb;
use reflect_types::{
    Alpha, EmbeddedText, KeyId, Link, MemoryId, MemoryOrigin, ReviewId, ReviewMode, ReviewResult, TraceId,
    Trust,
};
use serde_json::json;
use sqlx::PgConnection;

use crate::given;

const HISTORIES: u64 = 200;
const AT_ONCE: u64 = 4;
const STEPS: usize = 14;
const BASE: usize = 4;
const TASKS: [&str; 3] = ["sort", "search", "bake"];

type Vectors = Vec<(SpaceId, Vec<f32>)>;

struct History {
    project: ProjectCtx,
    spaces: [SpaceId; 2],
    random: SmallRng,
    memories: Vec<MemoryId>,
    /// Runs whose review may be changed, with the one they have.
    runs: Vec<(TraceId, Option<ReviewId>)>,
    actions: Vec<ActionId>,
    undone: usize,
}

fn text(task: &str, number: u32) -> TextFields {
    TextFields {
        task: task.into(),
        reflection: format!("lesson {number}"),
        summary: format!("summary {number}"),
        guidance: String::new(),
        key_mistake: String::new(),
        correct_action: String::new(),
        applicable_tools: vec![format!("tool {number}")],
        metadata: json!({ "number": number }),
    }
}

/// Where a task stands in a space: the same task always in the same place, as with any embedder.
fn vector(space: SpaceId, task: &str) -> Vec<f32> {
    let mut digest = DefaultHasher::new();
    (space, task).hash(&mut digest);
    let mut random = SmallRng::seed_from_u64(digest.finish());
    (0..4).map(|_| random.random_range(-1.0..1.0)).collect()
}

fn vectors(spaces: &[SpaceId], task: &str) -> Vectors {
    spaces.iter().map(|space| (*space, vector(*space, task))).collect()
}

impl History {
    fn new_memory(
        &mut self,
        task: &str,
        spaces: &[SpaceId],
        quarantined: bool,
        linked: &[MemoryId],
    ) -> NewMemoryRow {
        let fields = text(task, self.random.random());
        let vectors = vectors(spaces, task);
        let random = &mut self.random;
        let used = linked.iter().copied().filter(|_| random.random_bool(0.7)).collect();
        NewMemoryRow {
            memory_id: MemoryId::generate(),
            origin: MemoryOrigin::Offline,
            task: fields.task,
            reflection: fields.reflection,
            summary: fields.summary,
            guidance: fields.guidance,
            key_mistake: fields.key_mistake,
            correct_action: fields.correct_action,
            applicable_tools: fields.applicable_tools,
            tools_used: Vec::new(),
            success: Some(true),
            metadata: fields.metadata,
            model: None,
            prompt_version: None,
            note: None,
            replaced: None,
            flags: Vec::new(),
            quarantined,
            trust: Trust::Normal,
            author_key: KeyId::generate(),
            vectors,
            used: random.random_bool(0.5).then_some(used),
            expected: Some(random.random_range(0.0..=1.0)),
            lesson: LessonPlan::default(),
        }
    }

    fn new_review(&mut self) -> NewReview {
        let alpha = self.random.random_bool(0.3).then(|| self.random.random_range(0.0..=1.0));
        NewReview {
            review_id: ReviewId::generate(),
            result: if self.random.random_bool(0.5) { ReviewResult::Pass } else { ReviewResult::Fail },
            feedback: None,
            alpha: alpha.map(|alpha| Alpha::try_from(alpha).unwrap()),
            mode: ReviewMode::Deferred,
            reviewer: "key:test".into(),
            authored: None,
            grace: Duration::ZERO,
            action: None,
            trust: Trust::Normal,
            bounds: None,
            reviewed_at: None,
        }
    }

    fn some_memories(&mut self) -> Vec<MemoryId> {
        let (all, random) = (self.memories.clone(), &mut self.random);
        all.into_iter().filter(|_| random.random_bool(0.6)).collect()
    }

    fn one(&mut self) -> MemoryId {
        *self.memories.choose(&mut self.random).unwrap()
    }

    /// A run that had some memories, without a review.
    async fn record(&mut self) -> TraceId {
        let memories = self.some_memories();
        let link = Linked { by: Link::Ids, memories, retrieval: None, arm: None };
        let trace = NewTraceRow { link, ..given::trace("sort") };
        self.project.traces().record(&trace, None).await.unwrap();
        trace.trace_id
    }

    /// Memories, reviewed runs that moved them, and runs that first has reviewed.
    async fn begin(&mut self) {
        for at in 0..BASE {
            let trace = given::reviewed("sort");
            let review = trace.review.as_ref().unwrap().review_id;
            self.project.traces().record(&trace, None).await.unwrap();
            let memory = self.new_memory(TASKS[at % 2], &self.spaces.clone(), at == 2, &[]);
            self.project.learning().finish(trace.trace_id, review, &memory).await.unwrap().unwrap();
            self.memories.push(memory.memory_id);
        }
        for _ in 0..3 {
            let trace = self.record().await;
            let review = self.review(trace, None).await;
            self.learn(trace, review).await;
        }
        // The memories of these runs are not part of the history and are not curated.
        self.memories.truncate(BASE);
        for _ in 0..2 {
            let trace = self.record().await;
            self.runs.push((trace, None));
        }
    }

    async fn review(&mut self, trace: TraceId, instead_of: Option<ReviewId>) -> ReviewId {
        let review = self.new_review();
        let change = ReviewChange { trace, instead_of, review: Some(&review), lesson: None };
        assert!(self.project.reviews().change(&change, &given::actor(), None).await.unwrap());
        review.review_id
    }

    async fn withdraw(&mut self, trace: TraceId, review: ReviewId) {
        let change = ReviewChange { trace, instead_of: Some(review), review: None, lesson: None };
        assert!(self.project.reviews().change(&change, &given::actor(), None).await.unwrap());
    }

    async fn learn(&mut self, trace: TraceId, review: ReviewId) {
        let Some(input) = self.project.learning().start(review).await.unwrap() else { return };
        let memory = self.new_memory(TASKS[0], &[self.spaces[0]], false, &input.linked);
        if self.project.learning().finish(trace, review, &memory).await.unwrap().is_some() {
            self.memories.push(memory.memory_id);
        }
    }

    /// Applies the changes that `decide` returns for each memory, and keeps the action to undo it later.
    async fn curate(
        &mut self,
        memories: &[MemoryId],
        text: Option<NewText>,
        decide: impl Fn(&MemoryState) -> Vec<MemoryChange> + Send + Sync,
    ) {
        let texts = text.as_slice();
        let request = CurationRequest {
            kind: "memory.test",
            summary: json!({}),
            memories,
            part_of: None,
            texts,
            regroups: false,
            answers: None,
        };
        let decide = |states: &[MemoryState]| {
            let changes = states.iter().flat_map(|state| {
                let changes = decide(state).into_iter();
                changes.map(|change| (state.memory_id, change)).collect::<Vec<_>>()
            });
            Ok(changes.collect())
        };
        let curated = self.project.curation().apply(&request, &given::actor(), &decide).await.unwrap();
        self.actions.extend(curated.action_id);
    }

    async fn change(&mut self) {
        let (memory, wanted) = (self.one(), self.random.random_bool(0.6));
        let pin = self.memories[..BASE].contains(&memory);
        let change = match self.random.random_range(0..5) {
            0 => MemoryChange::Presence(Presence::Disabled),
            1 => MemoryChange::Presence(Presence::Deleted),
            2 => MemoryChange::Presence(Presence::Kept),
            3 if pin => MemoryChange::Pinned(wanted),
            _ => MemoryChange::Quarantined(wanted),
        };
        self.curate(&[memory], None, |_| vec![change.clone()]).await;
    }

    async fn new_text(&mut self, memory: MemoryId) -> NewText {
        let stored = self.project.memories().get(memory).await.unwrap();
        let task = TASKS.choose(&mut self.random).copied().unwrap();
        let fields = text(task, self.random.random());
        // Now and then no model could be asked, or only for one space.
        let (spaces, random) = (self.spaces, &mut self.random);
        let spaces: Vec<SpaceId> = spaces.into_iter().filter(|_| random.random_bool(0.6)).collect();
        let vectors = match fields.task == stored.text.task {
            true => Vec::new(),
            false => vectors(&spaces, task),
        };
        NewText { memory_id: memory, instead_of: stored.version, fields, vectors }
    }

    async fn edit(&mut self) {
        let memory = self.one();
        let text = self.new_text(memory).await;
        self.curate(&[memory], Some(text), |_| vec![MemoryChange::Halved]).await;
    }

    async fn merge(&mut self) {
        let survivor = self.one();
        let mut others: BTreeSet<MemoryId> = self.some_memories().into_iter().collect();
        others.remove(&survivor);
        let text = match self.random.random_bool(0.4) {
            true => Some(self.new_text(survivor).await),
            false => None,
        };
        let shares: Vec<_> = {
            let ids: Vec<MemoryId> = others.iter().copied().collect();
            self.project.memories().states(&ids).await.unwrap().iter().map(MemoryState::share).collect()
        };
        let memories: Vec<MemoryId> = others.into_iter().chain([survivor]).collect();
        self.curate(&memories, text, |state| match state.memory_id == survivor {
            true => vec![MemoryChange::Pooled(shares.clone())],
            false => vec![MemoryChange::Presence(Presence::Merged(survivor))],
        })
        .await;
    }

    /// Memories without a vector are given one, as the background does.
    async fn place(&mut self) {
        let first = MemoryId::from_uuid(uuid::Uuid::nil());
        for one in self.project.memories().unindexed(self.spaces[0], first).await.unwrap() {
            let vector = vector(self.spaces[0], &one.task);
            self.project
                .memories()
                .index(self.spaces[0], &[(one.memory_id, one.task)], &[vector])
                .await
                .unwrap();
        }
    }

    async fn undo(&mut self, action: ActionId) {
        while self.project.curation().undo_batch(action, &given::actor(), Trust::Normal).await.unwrap() {}
        self.undone += 1;
    }

    async fn step(&mut self) {
        match self.random.random_range(0..12) {
            0..3 => self.change().await,
            3..5 => self.edit().await,
            5 => self.merge().await,
            6 => self.place().await,
            7 => {
                if let Some(action) = self.actions.choose(&mut self.random).copied() {
                    self.undo(action).await;
                }
            }
            8 => {
                let trace = self.record().await;
                self.runs.push((trace, None));
            }
            _ => {
                let at = self.random.random_range(0..self.runs.len());
                let (trace, review) = self.runs[at];
                match review {
                    Some(review) if self.random.random_bool(0.4) => self.learn(trace, review).await,
                    Some(review) if self.random.random_bool(0.4) => {
                        self.withdraw(trace, review).await;
                        self.runs[at].1 = None;
                    }
                    review => self.runs[at].1 = Some(self.review(trace, review).await),
                }
            }
        }
    }

    /// Takes back all that happened, in any order.
    async fn take_back(&mut self) {
        enum Deed {
            Action(ActionId),
            Review(TraceId, ReviewId),
        }
        let mut deeds: Vec<Deed> = self.actions.iter().copied().map(Deed::Action).collect();
        deeds.extend(self.runs.iter().filter_map(|(trace, review)| Some(Deed::Review(*trace, (*review)?))));
        deeds.shuffle(&mut self.random);
        for deed in deeds {
            match deed {
                Deed::Action(action) => self.undo(action).await,
                Deed::Review(trace, review) => self.withdraw(trace, review).await,
            }
        }
    }
}

/// Everything that curation and reviews can change in the base memories and their runs, except the number of ledger
/// entries.
async fn standing(connection: &mut PgConnection, history: &History, traces: &[TraceId]) -> Vec<String> {
    let statements = [
        "select (to_jsonb(m) - 'words')::text from memory m where memory_id = any($1) order by memory_id",
        "select (to_jsonb(s) - 'credited' - 'last_used' - 'entered' - 'refolds')::text from memory_stat s where memory_id = any($1)
         order by memory_id",
        "select concat('searched ', to_jsonb(v)) from memory_vector v where memory_id = any($1)
         order by memory_id, space_id",
        "select concat('parked ', to_jsonb(v)) from parked_vector v where memory_id = any($1)
         order by memory_id, space_id",
    ];
    let mut found = Vec::new();
    for statement in statements {
        let rows: Vec<String> = sqlx::query_scalar(statement)
            .bind(&history.memories[..BASE])
            .fetch_all(&mut *connection)
            .await
            .unwrap();
        found.extend(rows);
    }
    let states: Vec<String> = sqlx::query_scalar(
        "select (to_jsonb(s) - 'updated_at')::text from trace_state s where trace_id = any($1) order by trace_id",
    )
    .bind(traces)
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    found.extend(states);
    found
}

/// How many vectors are searched that should not be, or the other way round.
async fn misplaced(connection: &mut PgConnection, project: i32) -> i64 {
    let count =
        "select (select count(*) from memory_vector v join memory_stat s using (project_id, memory_id)
                         where project_id = $1 and s.status <> 1)
                      + (select count(*) from parked_vector v join memory_stat s using (project_id, memory_id)
                         where project_id = $1 and s.status = 1)";
    sqlx::query_scalar(count).bind(project).fetch_one(connection).await.unwrap()
}

struct Seen {
    undone: usize,
    changed: bool,
}

async fn run(db: &TestDb, store: &Store, spaces: [SpaceId; 2], seed: u64) -> Seen {
    let mut connection = db.superuser().await;
    let slug = format!("curation-{seed}").parse().unwrap();
    let number = store.catalogue().ensure_project(&slug, &given::actor()).await.unwrap().number();
    let project = given::project(store, slug.as_str()).await;
    project.spaces().adopt(spaces[0]).await.unwrap();
    let random = SmallRng::seed_from_u64(seed);
    let (memories, runs, actions) = (Vec::new(), Vec::new(), Vec::new());
    let mut history = History { project, spaces, random, memories, runs, actions, undone: 0 };
    history.begin().await;
    let traces: Vec<TraceId> = history.runs.iter().map(|(trace, _)| *trace).collect();
    let before = standing(&mut connection, &history, &traces).await;

    for _ in 0..STEPS {
        history.step().await;
    }
    let between = standing(&mut connection, &history, &traces).await;
    assert_eq!(misplaced(&mut connection, number).await, 0, "seed {seed}");
    ledgers::check_standing(&mut connection, &history.memories, seed).await;
    history.take_back().await;

    let after = standing(&mut connection, &history, &traces).await;
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        these.iter().filter(|line| !others.contains(line)).cloned().collect()
    };
    assert_eq!(only(&before, &after), only(&after, &before), "what differs after seed {seed}");
    assert_eq!(before.len(), after.len(), "seed {seed}");
    Seen { undone: history.undone, changed: before != between }
}

async fn spaces(store: &Store) -> [SpaceId; 2] {
    let mut spaces = [0; 2];
    for (at, model) in ["one", "other"].into_iter().enumerate() {
        let (provider, revision) = ("test".into(), String::new());
        let name =
            SpaceName { provider, model: model.into(), revision, dimensions: 4, embeds: EmbeddedText::Task };
        spaces[at] = store.catalogue().ensure_space(&name).await.unwrap().id;
    }
    spaces
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_that_is_done_can_be_undone_in_any_order() {
    let db = TestDb::create().await;
    // A fifth of the connections are for changes: each history has one, and waits for no other.
    let settings = StoreSettings { max_connections: 5 * AT_ONCE as u32, ..db.settings() };
    let store = Store::connect(&settings).await.unwrap();
    let spaces = spaces(&store).await;
    let (mut undone, mut changed) = (0, 0);
    for first in (0..HISTORIES).step_by(AT_ONCE as usize) {
        let seen = futures::future::join_all(
            (first..(first + AT_ONCE).min(HISTORIES)).map(|seed| run(&db, &store, spaces, seed)),
        );
        for seen in seen.await {
            undone += seen.undone;
            changed += usize::from(seen.changed);
        }
    }
    println!("curation: {HISTORIES} histories, {changed} of them changed something, {undone} actions undone");
    // A history in which nothing happens proves nothing.
    assert!(changed > 190 && undone > 1000, "{changed} histories changed something, {undone} undone");
}
