//! The whole application over a database of its own, called in process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models};
use reflect_model::ModelError;
use reflect_model::scripted::{ScriptedEmbedder, ScriptedModel};
use reflect_server::{App, ServerSettings};
use reflect_store::Actor;
use reflect_types::{ProjectId, ProjectSlug, Scope};
use uuid::Uuid;

use crate::TestDb;

/// An application, and what a test needs to talk to it.
#[derive(Debug)]
pub struct TestApp {
    /// A master key.
    pub master: String,
    /// A project that is there.
    pub project: ProjectSlug,
    /// A key that may do everything in that project.
    pub key: String,
    /// The application itself.
    pub app: Arc<App>,
    /// What answers its requests.
    pub service: Router,
    /// Its database. Last, so that it is dropped last.
    pub db: TestDb,
}

impl TestApp {
    /// The token that bootstraps a test application.
    pub const BOOTSTRAP_TOKEN: &'static str = "a token for tests only";

    /// An application with the usual settings.
    pub async fn start() -> Self {
        Self::with(ServerSettings::default()).await
    }

    /// An application with settings of the test's own.
    pub async fn with(settings: ServerSettings) -> Self {
        Self::with_models(Self::scripted_models(), settings).await
    }

    /// No model to write lessons, and one whose vectors are similar where texts share words.
    pub fn scripted_models() -> Models {
        Models { embedder: Some(Arc::new(ScriptedEmbedder::new(256))), ..Models::default() }
    }

    /// A model that refuses to write lessons, so that learning fails for good.
    pub fn refusing_models() -> Models {
        let text = ScriptedModel::new().otherwise(|_| Err(ModelError::do_not_retry("the key was refused")));
        Models { text: Some(Arc::new(text)), ..Self::scripted_models() }
    }

    /// An application with models of the test's own.
    pub async fn with_models(models: Models, settings: ServerSettings) -> Self {
        let db = TestDb::create().await;
        let bootstrap_token = Some(Self::BOOTSTRAP_TOKEN.to_owned().into());
        let engine_settings = EngineSettings { bootstrap_token, ..EngineSettings::default() };
        let engine = Engine::new(db.store().await, models, engine_settings);
        let project: ProjectSlug = format!("project-{}", Uuid::now_v7().simple()).parse().expect("a slug");
        let app = App::new(engine, settings);
        let service = reflect_server::service(app.clone());
        let mut test = Self { master: String::new(), key: String::new(), project, app, service, db };
        test.master = test.new_key(None, Scope::ALL).await;
        test.key = test.new_key(Some(&test.project), Scope::ALL).await;
        test
    }

    /// Another process, as it were, over the same database: it shares nothing with this one.
    pub async fn another(&self) -> (Arc<App>, Router) {
        let engine = Engine::new(self.db.store().await, Self::scripted_models(), EngineSettings::default());
        let app = App::new(engine, ServerSettings::default());
        let service = reflect_server::service(app.clone());
        (app, service)
    }

    /// A key of a project, or a master key.
    pub async fn new_key(&self, project: Option<&ProjectSlug>, scopes: &[Scope]) -> String {
        let actor = Actor { name: "test".to_owned(), request_id: None };
        let request = KeyRequest { scopes: scopes.to_vec(), ..KeyRequest::master("test".to_owned()) };
        let made = self.app.engine().create_key_as_operator(project, request, &actor).await;
        made.expect("a key can be made").text.expose().to_owned()
    }

    /// Learns from every review that waits.
    pub async fn learn(&self) {
        self.app.engine().work_once().await.expect("the queue can be worked off");
    }

    /// Queues what waits for a judge and does all that is queued, until so many runs were judged in all.
    pub async fn judge(&self, runs: i64) {
        let engine = self.app.engine();
        let judged = async || {
            let project = self.project_id().await;
            engine.store().project(project).judge_week().await.expect("judgements can be counted").judged
        };
        let give_up = Instant::now() + Duration::from_secs(120);
        while judged().await < runs {
            assert!(Instant::now() < give_up, "only {} of {runs} runs were judged", judged().await);
            engine.queue_judgements().await.expect("runs can be queued");
            self.learn().await;
        }
    }

    /// The number of the test's project.
    pub async fn project_id(&self) -> ProjectId {
        let found = self.app.engine().store().find_project(&self.project).await;
        found.expect("the database answers").expect("the project is there")
    }

    /// The path of something in the test's project.
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/projects/{}{rest}", self.project)
    }
}
