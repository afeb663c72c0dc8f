//! An application with its own database, called in process.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::Router;
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models, WebhookSettings};
use reflect_model::ModelError;
use reflect_model::scripted::{ScriptedEmbedder, ScriptedModel};
use reflect_outbound::AddressGuard;
use reflect_server::{App, ServerSettings};
use reflect_store::AuditActor;
use reflect_types::{ProjectId, ProjectSlug, Scope};
use reflect_webhook_client::WebhookClient;
use uuid::Uuid;

use crate::database::TestDb;

/// An application, and what a test needs to call it.
#[derive(Debug)]
pub struct TestApp {
    /// A master key.
    pub master: String,
    /// An existing project.
    pub project: ProjectSlug,
    /// A key with all scopes in that project.
    pub key: String,
    /// The application.
    pub app: Arc<App>,
    /// The service that handles requests.
    pub service: Router,
    /// Its database. The last field, because fields are dropped in order.
    pub db: TestDb,
}

impl TestApp {
    /// The token that bootstraps a test application.
    pub const BOOTSTRAP_TOKEN: &'static str = "a token for tests only";

    /// An application with the default settings.
    pub async fn start() -> Self {
        Self::with(ServerSettings::default()).await
    }

    /// An application with these settings.
    pub async fn with(settings: ServerSettings) -> Self {
        Self::with_models(scripted_models(), settings).await
    }

    /// An application with these models and settings.
    pub async fn with_models(models: Models, settings: ServerSettings) -> Self {
        Self::with_engine(models, EngineSettings::default(), settings).await
    }

    /// An application with these models and settings. The bootstrap token is always the same.
    pub async fn with_engine(
        models: Models,
        mut engine_settings: EngineSettings,
        settings: ServerSettings,
    ) -> Self {
        let db = TestDb::create().await;
        engine_settings.bootstrap_token = Some(Self::BOOTSTRAP_TOKEN.to_owned().into());
        engine_settings.webhooks.get_or_insert_with(local_webhooks);
        let engine = Engine::new(db.store().await, models, engine_settings);
        let project: ProjectSlug = format!("project-{}", Uuid::now_v7().simple()).parse().expect("a slug");
        let app = App::new(engine, settings);
        let service = reflect_server::service(app.clone());
        let mut test = Self { master: String::new(), key: String::new(), project, app, service, db };
        test.master = test.new_key(None, Scope::ALL).await;
        test.key = test.new_key(Some(&test.project), Scope::ALL).await;
        test
    }

    /// A second application with the same database. It shares no memory with this one, like another process.
    pub async fn another(&self) -> (Arc<App>, Router) {
        let engine = Engine::new(self.db.store().await, scripted_models(), EngineSettings::default());
        let app = App::new(engine, ServerSettings::default());
        let service = reflect_server::service(app.clone());
        (app, service)
    }

    /// A new key for a project, or a new master key.
    pub async fn new_key(&self, project: Option<&ProjectSlug>, scopes: &[Scope]) -> String {
        let actor = AuditActor::local("test");
        let request = KeyRequest { scopes: scopes.to_vec(), ..KeyRequest::master("test".to_owned()) };
        let made = self.app.engine().keys.create_as_operator(project, request, &actor).await;
        made.expect("a key can be created").text.expose().to_owned()
    }

    /// Runs the worker until the queue is empty.
    pub async fn learn(&self) {
        self.app.engine().worker.run_once().await.expect("the queue can be processed");
    }

    /// The internal id of the test's project.
    pub async fn project_id(&self) -> ProjectId {
        let found = self.app.engine().store.catalogue().find_project(&self.project).await;
        found.expect("the database answers").expect("the project is there")
    }

    /// A path in the test's project.
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/projects/{}{rest}", self.project)
    }
}

/// No model that writes lessons, and an embedder whose vectors are similar if the texts share words.
pub fn scripted_models() -> Models {
    Models { embedder: Some(Arc::new(ScriptedEmbedder::new(256))), ..Models::default() }
}

/// Webhooks that reach this machine. A receiver that hangs is given up soon. All tests share a client, because it reads the
/// certificates of the system.
pub fn local_webhooks() -> WebhookSettings {
    static CLIENT: LazyLock<WebhookClient> = LazyLock::new(|| {
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().expect("a network")]);
        let client = WebhookClient::new(guard, None).expect("a client");
        client.with_timeout(Duration::from_secs(2))
    });
    WebhookSettings { client: CLIENT.clone(), console_url: None }
}

/// A model that refuses to write lessons, which makes learning fail permanently.
pub fn refusing_models() -> Models {
    let text = ScriptedModel::new().otherwise(|_| Err(ModelError::do_not_retry("the key was refused")));
    Models { text: Some(Arc::new(text)), ..scripted_models() }
}

/// Queues traces for the judge and runs the worker until this many traces are judged.
pub async fn judge_traces(test: &TestApp, count: i64) {
    let engine = test.app.engine();
    let judged = async || {
        let project = test.project_id().await;
        engine.store.project(project).judgements().week().await.expect("judgements can be counted").judged
    };
    let deadline = Instant::now() + Duration::from_secs(120);
    while judged().await < count {
        assert!(Instant::now() < deadline, "only {} of {count} traces were judged", judged().await);
        engine.judge.queue_pending().await.expect("traces can be queued");
        test.learn().await;
    }
}
