//! The imported memories. They are written to the database before the server starts.

use reflect_rules::lessons::{AdviceKey, AdviceText, advice_key};
use reflect_store::{AuditActor, SpaceName, Store, StoreSettings};
use reflect_types::{EmbeddedText, MemoryId, ProjectSlug};
use sqlx::{Connection as _, PgConnection};

use super::doubles::KnownEmbedder;
use crate::data::Dataset;
use crate::environment::Environment;

use reflect_model::Embedder as _;

/// The text of a memory. The agent parses the tool from it. The number shows which memory of a lesson speaks for it.
pub(super) fn guidance(tool: &str, number: usize) -> String {
    format!("Case {number}: call the tool {tool}")
}

/// What a memory says is right, which tells the server what is the same advice. Other words than in the text, because the
/// server does not keep what a model says twice.
pub(super) fn correct_action(tool: &str) -> String {
    format!("Use {tool}")
}

/// Creates the project with its space, and returns the ids of the imported memories, in order. They are grouped as the
/// server groups existing memories: each has the lesson of this number.
pub(super) async fn fill(
    database_url: &str,
    project: &ProjectSlug,
    (environment, lessons): (&Environment<'_>, &[usize]),
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
    let mut imported: Vec<MemoryId> = Vec::with_capacity(environment.advice.len());
    for (query, tool) in environment.ground.imported.iter().zip(&environment.advice) {
        let (id, task) = (MemoryId::generate(), &set.texts[*query]);
        let statement =
            "insert into memory (project_id, memory_id, origin, task, reflection, guidance, correct_action)
                         values ($1, $2, 3, $3, $4, $4, $5)";
        let (tool, number) = (&set.tools[*tool], imported.len());
        let (text, action) = (guidance(tool, number), correct_action(tool));
        let advice = AdviceText { correct_action: &action, approach: &[], reflection: &text };
        let advice = advice_key(&advice).map(AdviceKey::as_uuid);
        let memory = sqlx::query(statement).bind(project.number()).bind(id.as_uuid()).bind(task).bind(text);
        memory.bind(&action).execute(&mut *transaction).await?;
        imported.push(id);
        let lesson: MemoryId = imported[lessons[number]];
        let statement =
            "insert into memory_stat (project_id, memory_id, lesson_id, advice) values ($1, $2, $3, $4)";
        let stat = sqlx::query(statement).bind(project.number()).bind(id.as_uuid());
        stat.bind(lesson.as_uuid()).bind(advice).execute(&mut *transaction).await?;
        let statement = "insert into memory_vector (project_id, space_id, memory_id, embedding)
                         values ($1, $2, $3, $4::real[]::halfvec)";
        let vector = sqlx::query(statement).bind(project.number()).bind(space.id).bind(id.as_uuid());
        vector.bind(embedder.vector(task)?.as_slice()).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(imported)
}
