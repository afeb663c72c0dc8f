//! The imported memories. They are written to the database before the server starts.

use reflect_store::{AuditActor, SpaceName, Store, StoreSettings};
use reflect_types::{EmbeddedText, MemoryId, ProjectSlug};
use sqlx::{Connection as _, PgConnection};

use super::doubles::KnownEmbedder;
use crate::data::Dataset;
use crate::environment::Environment;

use reflect_model::Embedder as _;

/// The text of a memory. The agent parses the tool from it. The number makes every lesson different, because the server
/// serves equal lessons once and the benchmark measures the ranking of all memories.
pub(super) fn guidance(tool: &str, number: usize) -> String {
    format!("Case {number}: call the tool {tool}")
}

/// Creates the project with its space, and returns the ids of the imported memories, in order.
pub(super) async fn fill(
    database_url: &str,
    project: &ProjectSlug,
    environment: &Environment<'_>,
    set: &Dataset,
    embedder: &KnownEmbedder,
) -> anyhow::Result<Vec<MemoryId>> {
    let settings = StoreSettings::new(database_url.to_owned().into(), 6);
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
    let space = store.catalogue().ensure_space(&space).await?;
    let actor = AuditActor::local("bench");
    let project = store.catalogue().ensure_project(project, &actor).await?;
    store.project(project).spaces().adopt(space.id).await?;
    store.close().await;

    let mut connection = PgConnection::connect(database_url).await?;
    let mut transaction = connection.begin().await?;
    let mut imported = Vec::with_capacity(environment.advice.len());
    for (query, tool) in environment.ground.imported.iter().zip(&environment.advice) {
        let (id, task) = (MemoryId::generate(), &set.texts[*query]);
        let statement = "insert into memory (project_id, memory_id, origin, task, reflection, guidance)
                         values ($1, $2, 3, $3, $4, $4)";
        let text = guidance(&set.tools[*tool], imported.len());
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
