//! A temporary database and an engine that uses it.

use std::sync::Arc;

use anyhow::Context;
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models, Visitor};
use reflect_model::scripted::{ScriptedEmbedder, ScriptedModel};
use reflect_store::{AuditActor, MigrationSettings, RequestOrigin, Store, StoreSettings};
use reflect_types::ProjectSlug;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

/// The number of dimensions of common small models.
const DIMENSIONS: usize = 384;

/// The model's answer to a request for a lesson.
const LESSON: &str = r#"{"summary": "Look the order up first.", "guidance": "Ask for the number and look it up.",
    "key_mistake": "A promise came first.", "correct_action": "Look up, then promise.",
    "applicable_tools": ["orders.find"], "used_memory_ids": []}"#;

/// A database and its engine.
pub(crate) struct Place {
    pub(crate) url: String,
    pub(crate) engine: Engine,
    server: String,
    name: String,
}

pub(crate) fn actor() -> AuditActor {
    AuditActor::local("bench")
}

impl Place {
    /// Creates a database on a server.
    pub(crate) async fn make(server: &str) -> anyhow::Result<Self> {
        let name = format!("move_{}", uuid::Uuid::now_v7().simple());
        execute(server, format!("create database {name}")).await?;
        let (base, _) = server.rsplit_once('/').context("a URL of a database ends with its name")?;
        let url = format!("{base}/{name}");
        let layout = MigrationSettings { url: url.clone().into(), hash_partitions: 4, partition_days: 7 };
        Store::migrate(&layout).await?;
        let settings = StoreSettings::new(url.clone().into(), 8);
        let store = Store::connect(&settings).await?;
        let models = Models {
            text: Some(Arc::new(ScriptedModel::new().otherwise(|_| Ok(LESSON.to_owned())))),
            embedder: Some(Arc::new(ScriptedEmbedder::new(DIMENSIONS))),
            ..Models::default()
        };
        let engine = Engine::new(store, models, EngineSettings::default());
        Ok(Self { url, engine, server: server.to_owned(), name })
    }

    /// A client with a new key of a project.
    pub(crate) async fn visitor(&self, slug: &str) -> anyhow::Result<Visitor> {
        let slug: ProjectSlug = slug.parse()?;
        let request = KeyRequest::master("bench".to_owned());
        let made = self.engine.keys.create_as_operator(Some(&slug), request, &actor()).await?;
        let holder = self.engine.access.authenticate(made.text.expose(), None).await?;
        Ok(self.engine.access.enter(&holder, &slug, false, &RequestOrigin::default()).await?)
    }

    /// Changes the database directly. Returns the number of changed rows.
    pub(crate) async fn tamper(&self, statement: &str) -> anyhow::Result<u64> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let done = connection.execute(AssertSqlSafe(statement.to_owned())).await?;
        connection.close().await?;
        Ok(done.rows_affected())
    }

    /// Locks a table until the connection is closed.
    pub(crate) async fn hold(&self, table: &str) -> anyhow::Result<PgConnection> {
        let mut connection = PgConnection::connect(&self.url).await?;
        connection.execute("begin").await?;
        let lock = format!("lock table {table} in access exclusive mode");
        connection.execute(AssertSqlSafe(lock)).await?;
        Ok(connection)
    }

    /// Whether another connection waits for the locked table.
    pub(crate) async fn is_waited_for(&self) -> anyhow::Result<bool> {
        let waiting = "select count(*) from pg_locks where not granted and locktype = 'relation' \
                       and database = (select oid from pg_database where datname = current_database())";
        Ok(self.number(waiting).await?.is_some_and(|waiting| waiting > 0))
    }

    /// Reads one number from the database.
    pub(crate) async fn number(&self, question: &str) -> anyhow::Result<Option<i64>> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let asked = sqlx::query_scalar(AssertSqlSafe(question.to_owned()));
        let number: Option<Option<i64>> = asked.fetch_optional(&mut connection).await?;
        connection.close().await?;
        Ok(number.flatten())
    }

    /// Removes the database.
    pub(crate) async fn remove(self) -> anyhow::Result<()> {
        self.engine.store.close().await;
        execute(&self.server, format!("drop database {} with (force)", self.name)).await
    }
}

async fn execute(url: &str, statement: String) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    connection.execute(AssertSqlSafe(statement)).await?;
    Ok(connection.close().await?)
}
