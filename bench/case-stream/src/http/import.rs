//! The imported memories, put into the database before the server starts.

use reflect_store::{Actor, SpaceName, Store, StoreSettings};
use reflect_types::{EmbeddedText, MemoryId, ProjectSlug};
use sqlx::{Connection as _, PgConnection};

use super::doubles::KnownEmbedder;
use crate::data::Dataset;
use crate::environment::Environment;

use reflect_model::Embedder as _;

/// What a memory says. The agent reads the tool out of it again.
pub(super) fn guidance(tool: &str) -> String {
    format!("Call the tool {tool}")
}

/// Makes the project with its space, and gives the ids of what was imported, in order.
pub(super) async fn fill(
    database_url: &str,
    project: &ProjectSlug,
    environment: &Environment<'_>,
    set: &Dataset,
    embedder: &KnownEmbedder,
) -> anyhow::Result<Vec<MemoryId>> {
    let settings = StoreSettings { url: database_url.to_owned().into(), max_connections: 6, fault: None };
    let store = Store::connect(&settings).await?;
    let identity = embedder.identity();
    let dimensions = embedder.vector(&set.texts[0])?.dimensions();
    let space = SpaceName {
        provider: identity.provider.clone(),
        model: identity.model.clone(),
        revision: identity.revision.clone(),
        dimensions,
        embeds: EmbeddedText::Task,
    };
    let space = store.ensure_space(&space).await?;
    let actor = Actor { name: "bench".to_owned(), request_id: None };
    let project = store.ensure_project(project, &actor).await?;
    store.project(project).adopt_space(space.id).await?;
    store.close().await;

    let mut connection = PgConnection::connect(database_url).await?;
    let mut transaction = connection.begin().await?;
    let mut imported = Vec::with_capacity(environment.advice.len());
    for (query, tool) in environment.ground.imported.iter().zip(&environment.advice) {
        let (id, task) = (MemoryId::generate(), &set.texts[*query]);
        let statement = "insert into memory (project_id, memory_id, origin, task, reflection, guidance)
                         values ($1, $2, 3, $3, $4, $4)";
        let text = guidance(&set.tools[*tool]);
        let memory = sqlx::query(statement).bind(project.number()).bind(id.as_uuid()).bind(task).bind(text);
        memory.execute(&mut *transaction).await?;
        let statement = "insert into memory_stat (project_id, memory_id) values ($1, $2)";
        sqlx::query(statement).bind(project.number()).bind(id.as_uuid()).execute(&mut *transaction).await?;
        let statement = "insert into memory_vector (project_id, space_id, memory_id, embedding)
                         values ($1, $2, $3, $4::real[]::halfvec)";
        let vector = sqlx::query(statement).bind(project.number()).bind(space.id).bind(id.as_uuid());
        vector.bind(embedder.vector(task)?.as_slice()).execute(&mut *transaction).await?;
        imported.push(id);
    }
    transaction.commit().await?;
    Ok(imported)
}
