//! The composition root: builds every service from its parts.

use std::sync::Arc;

use reflect_store::{AssembleJob, Job, Store, StoreError};
use reflect_types::CrashPoint;
use secrecy::SecretString;

use crate::access::Access;
use crate::action_undo::ActionUndo;
use crate::actions::Actions;
use crate::audit::{AuditKey, AuditLog, DenialLog};
use crate::auth_cache::AuthCache;
use crate::budget::TokenBudget;
use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::completion::CompletionWaiters;
use crate::curation::Curation;
use crate::embedding_spaces::{EmbeddingSpaces, Reembedder};
use crate::erasures::Erasures;
use crate::events::EventBus;
use crate::feedback_tokens::FeedbackTokens;
use crate::health_watch::HealthWatch;
use crate::insights::Insights;
use crate::intake::Intake;
use crate::judge::Judge;
use crate::judge_profile::JudgeProfiles;
use crate::key_lifetime::KeyLifetime;
use crate::keys::Keys;
use crate::learn::{Learner, LearnerParts};
use crate::learning_settings::LearningSettings;
use crate::lesson_bank::LessonBank;
use crate::lessons::{AdviceModel, LessonPlanner, MemoryBuilder};
use crate::loop_health::LoopHealthReader;
use crate::maintenance::Maintenance;
use crate::members::Members;
use crate::memory_indexer::MemoryIndexer;
use crate::memory_list::Memories;
use crate::models::{Embeddings, Models, TextModels};
use crate::otlp::{EvaluationHandler, SpanIntake, TakenResults};
use crate::project_cache::ProjectCache;
use crate::projects::Projects;
use crate::provider_sign_in::{ProviderSignIn, SignInProvider};
use crate::retriever::Retriever;
use crate::review_queue::{BulkReviews, ReviewQueueService, WaitingRuns};
use crate::reviews::Reviews;
use crate::sessions::Sessions;
use crate::signals::{Signals, SubmittedSignal};
use crate::skills::Skills;
use crate::trace_list::Traces;
use crate::trace_waiters::TraceWaiters;
use crate::vector_graphs::VectorGraphs;
use crate::votes::VoteLimits;
use crate::webhooks::{WebhookSender, WebhookSettings, Webhooks};
use crate::worker::{JobHandler, Scheduler, Worker};

/// Settings of the engine.
#[derive(Debug, Clone, Default)]
pub struct EngineSettings {
    /// With this token a client creates the first key, once.
    pub bootstrap_token: Option<SecretString>,
    /// How lessons are written.
    pub learning: LearningSettings,
    /// How long new keys live.
    pub key_lifetime: KeyLifetime,
    /// Signs the audit log. Without it, the log is chained and not signed.
    pub audit_key: Option<Arc<AuditKey>>,
    /// The identity providers that members can sign in with.
    pub sign_in_providers: Vec<SignInProvider>,
    /// How webhooks are sent. Without it, none can be created.
    pub webhooks: Option<WebhookSettings>,
}

/// All services over one store. Cheap to clone; clones share the services.
#[derive(Debug, Clone)]
pub struct Engine {
    /// The store, for reads that involve no decision.
    pub store: Store,
    /// Authenticates callers.
    pub access: Arc<Access>,
    /// Undoes actions.
    pub actions: Arc<Actions>,
    /// Chains, signs and verifies the audit log.
    pub audit: Arc<AuditLog>,
    /// Gives many runs the same review.
    pub bulk_reviews: Arc<BulkReviews>,
    /// Waits until traces are completed.
    pub completion: Arc<CompletionWaiters>,
    /// Changes memories on behalf of people.
    pub curation: Arc<Curation>,
    /// Records denied requests.
    pub denials: Arc<DenialLog>,
    /// Erases traces and subjects.
    pub erasures: Arc<Erasures>,
    /// Publishes change notifications.
    pub events: Arc<EventBus>,
    /// Reports on the learning loop and the models.
    pub insights: Arc<Insights>,
    /// Stores traces.
    pub intake: Arc<Intake>,
    /// Reviews runs with a model.
    pub judge: Arc<Judge>,
    /// Creates, rotates and revokes API keys.
    pub keys: Arc<Keys>,
    /// Shows and changes lessons.
    pub lesson_bank: Arc<LessonBank>,
    /// Runs periodic maintenance.
    pub maintenance: Arc<Maintenance>,
    /// Manages members.
    pub members: Arc<Members>,
    /// Reads memories for people.
    pub memories: Arc<Memories>,
    /// Manages projects and their settings.
    pub projects: Arc<Projects>,
    /// Signs members in with identity providers.
    pub provider_sign_in: Arc<ProviderSignIn>,
    /// Gives out runs that wait for a review.
    pub queue: Arc<ReviewQueueService>,
    /// Finds memories for tasks.
    pub retriever: Arc<Retriever>,
    /// Stores reviews.
    pub reviews: Arc<Reviews>,
    /// Signs members in and out.
    pub sessions: Arc<Sessions>,
    /// Receives signals and turns them into reviews.
    pub signals: Arc<Signals>,
    /// Writes skills.
    pub skills: Arc<Skills>,
    /// Changes the embedding model of projects.
    pub spaces: Arc<EmbeddingSpaces>,
    /// Takes OpenTelemetry spans, and builds runs from them.
    pub spans: Arc<SpanIntake>,
    /// Reads traces for people.
    pub traces: Arc<Traces>,
    /// Gives large projects a graph for their vectors.
    pub vector_graphs: Arc<VectorGraphs>,
    /// Sends events to webhooks.
    pub webhook_sender: Arc<WebhookSender>,
    /// Manages webhooks.
    pub webhooks: Arc<Webhooks>,
    /// Runs background jobs.
    pub worker: Arc<Worker>,
}

impl Engine {
    /// Builds an engine over a store and models.
    pub fn new(store: Store, models: Models, settings: EngineSettings) -> Self {
        let EngineSettings {
            bootstrap_token,
            learning,
            key_lifetime,
            audit_key,
            sign_in_providers,
            webhooks,
        } = settings;
        let s = || store.clone();
        let auth = AuthCache::new(s());
        let projects = ProjectCache::new(s());
        let waiters = TraceWaiters::default();
        let events = EventBus::new(s(), waiters.clone());
        let completion = CompletionWaiters::new(s(), waiters);
        let votes = VoteLimits::new(s());
        let waiting = WaitingRuns::new(s());
        let embeddings = Embeddings::new(s(), &models);
        let models = TextModels::new(models.text, models.judge);
        let redaction = Redaction::new(projects.clone());
        let budget = TokenBudget::new(projects.clone(), learning.daily_tokens);
        let profiles = JudgeProfiles::new(projects.clone(), models.clone());
        let health = LoopHealthReader::new(s(), projects.clone(), profiles.clone());
        let indexer = MemoryIndexer::new(s(), projects.clone(), embeddings.clone());
        let advice = AdviceModel::new(models.clone(), budget.clone());
        let planner = LessonPlanner::new(s(), projects.clone(), advice);
        let memories = MemoryBuilder::new(s(), indexer.clone(), planner);
        let undo = ActionUndo::new(s(), projects.clone());

        let erasures = Erasures::new(s(), redaction.clone());
        let judge = Judge::new(
            s(),
            profiles.clone(),
            models.clone(),
            budget.clone(),
            redaction.clone(),
            learning.clone(),
        );
        let learner = Learner::new(
            s(),
            LearnerParts {
                projects: projects.clone(),
                models: models.clone(),
                embeddings: embeddings.clone(),
                budget: budget.clone(),
                settings: learning.clone(),
                memories: memories.clone(),
                indexer: indexer.clone(),
                completion: completion.clone(),
                events: events.clone(),
            },
        );
        let reembedder = Reembedder::new(s(), indexer.clone());
        let signals = Signals::new(
            s(),
            projects.clone(),
            redaction.clone(),
            votes.clone(),
            FeedbackTokens::new(s()),
            events.clone(),
        );
        let intake = Intake::new(
            s(),
            projects.clone(),
            redaction.clone(),
            votes.clone(),
            memories.clone(),
            events.clone(),
        );
        let evaluations = evaluations(signals.clone(), events.clone());
        let spans = SpanIntake::new(s(), projects.clone(), redaction.clone(), evaluations);
        let handlers = JobHandlers {
            learner,
            indexer: indexer.clone(),
            judge: judge.clone(),
            signals: signals.clone(),
            reembedder,
            erasures: erasures.clone(),
            intake: intake.clone(),
            spans: spans.clone(),
        };
        Self {
            access: Arc::new(Access::new(s(), auth.clone())),
            actions: Arc::new(Actions::new(undo.clone())),
            audit: Arc::new(AuditLog::new(s(), audit_key)),
            denials: Arc::new(DenialLog::new(s())),
            bulk_reviews: Arc::new(BulkReviews::new(
                s(),
                waiting.clone(),
                redaction.clone(),
                models.clone(),
                learning.clone(),
            )),
            curation: Arc::new(Curation::new(s(), projects.clone(), redaction.clone(), indexer.clone())),
            insights: Arc::new(Insights::new(
                s(),
                projects.clone(),
                health.clone(),
                models.clone(),
                embeddings.clone(),
                redaction.clone(),
            )),
            intake: Arc::new(intake),
            keys: Arc::new(Keys::new(s(), auth.clone(), bootstrap_token, key_lifetime)),
            lesson_bank: Arc::new(LessonBank::new(s(), projects.clone(), undo)),
            maintenance: Arc::new(Maintenance::new(
                s(),
                projects.clone(),
                indexer,
                HealthWatch::new(s(), health),
            )),
            members: Arc::new(Members::new(s(), auth.clone())),
            memories: Arc::new(Memories::new(s(), projects.clone())),
            projects: Arc::new(Projects::new(s(), projects.clone(), auth.clone(), redaction.clone())),
            provider_sign_in: Arc::new(ProviderSignIn::new(s(), auth.clone(), sign_in_providers)),
            queue: Arc::new(ReviewQueueService::new(s(), waiting, redaction.clone())),
            retriever: Arc::new(Retriever::new(s(), projects.clone(), embeddings.clone(), redaction.clone())),
            reviews: Arc::new(Reviews::new(
                s(),
                redaction,
                votes,
                memories,
                completion.clone(),
                events.clone(),
            )),
            sessions: Arc::new(Sessions::new(s(), auth)),
            signals: Arc::new(signals),
            skills: Arc::new(Skills::new(s(), models, budget, learning)),
            vector_graphs: Arc::new(VectorGraphs::new(s(), embeddings.clone())),
            spaces: Arc::new(EmbeddingSpaces::new(s(), projects, embeddings)),
            spans: Arc::new(spans),
            traces: Arc::new(Traces::new(s())),
            webhook_sender: Arc::new(WebhookSender::new(s(), webhooks.clone())),
            webhooks: Arc::new(Webhooks::new(s(), webhooks)),
            worker: Arc::new(worker(s(), handlers)),
            completion: Arc::new(completion),
            erasures: Arc::new(erasures),
            events: Arc::new(events),
            judge: Arc::new(judge),
            store,
        }
    }

    /// The store, for reads that involve no decision.
    pub const fn store(&self) -> &Store {
        &self.store
    }
}

/// The services that run jobs.
struct JobHandlers {
    learner: Learner,
    indexer: MemoryIndexer,
    judge: Judge,
    signals: Signals,
    reembedder: Reembedder,
    erasures: Erasures,
    intake: Intake,
    spans: SpanIntake,
}

impl JobHandlers {
    /// Stores a run that arrived as spans, if it has ended.
    async fn assemble(&self, job: AssembleJob) -> Result<(), StoreError> {
        let Some(built) = self.spans.build(job).await? else { return Ok(()) };
        CrashPoint::SpanRunSubmit.before();
        let stored = self.intake.submit(&built.visitor, built.run, None).await;
        CrashPoint::SpanRunSubmit.after();
        self.spans.settle(job, stored.map(|_| ())).await
    }
}

/// Results of evaluations that arrive with spans are signals.
fn evaluations(signals: Signals, events: EventBus) -> EvaluationHandler {
    Arc::new(move |visitor, results| {
        Box::pin(take_results(signals.clone(), events.clone(), visitor, results))
    })
}

async fn take_results(
    signals: Signals,
    events: EventBus,
    visitor: Visitor,
    results: Vec<SubmittedSignal>,
) -> TakenResults {
    let received = signals.accept(&visitor, results, None).await?;
    events.publish(visitor.project, "signals", None);
    Ok(received.into_iter().map(|result| result.map(|_| ())).collect())
}

fn worker(store: Store, handlers: JobHandlers) -> Worker {
    let handlers = Arc::new(handlers);
    let judge = handlers.judge.clone();
    let handler: JobHandler = Arc::new(move |job| {
        let handlers = handlers.clone();
        Box::pin(async move {
            match job {
                Job::Learn(job) => Box::pin(handlers.learner.learn(job)).await,
                Job::Index(job) => handlers.indexer.index_soon(job.project()).await,
                Job::Judge(job) => handlers.judge.judge_run(job).await,
                Job::Resolve(job) => Box::pin(handlers.signals.resolve(job)).await,
                Job::Match(job) => handlers.signals.match_signals(job).await,
                Job::Reembed(job) => handlers.reembedder.reembed(job).await,
                Job::Erase(job) => handlers.erasures.erase(job).await,
                Job::Assemble(job) => Box::pin(handlers.assemble(job)).await,
            }
        })
    });
    let scheduler: Scheduler = Arc::new(move |stop| {
        let judge = judge.clone();
        Box::pin(async move { judge.schedule(stop).await })
    });
    Worker::new(store, handler, scheduler)
}
