//! Changes of the table layout that read or copy many rows. Migrations only prepare them; this completes them in small
//! transactions, while servers work. It can be interrupted and run again, and does nothing if all is done.

use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::error::{StoreError, is_lock_timeout};

/// Rows that are copied in one transaction. Changes of these rows wait for it.
const ROWS_AT_ONCE: i32 = 1000;
/// How often a lock is tried. Together with the pauses this is five minutes.
const ATTEMPTS: usize = 300;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// Completes the layout of the database.
pub(crate) async fn complete(connection: &mut PgConnection) -> Result<(), StoreError> {
    split_states(connection).await?;
    while let Some(statement) =
        patiently(connection, include_str!("../sql/maintenance/next_credit_index.sql")).await?
    {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *connection).await?;
    }
    while patiently(connection, include_str!("../sql/maintenance/next_vector_check.sql")).await?.is_some() {}
    patiently(connection, include_str!("../sql/maintenance/set_vector_key.sql")).await?;
    Ok(())
}

/// Partitions the states of runs by time. A trigger repeats every change while they are copied.
async fn split_states(connection: &mut PgConnection) -> Result<(), StoreError> {
    let parts: Vec<String> = sqlx::query_scalar(include_str!("../sql/maintenance/states_to_copy.sql"))
        .fetch_all(&mut *connection)
        .await?;
    for part in &parts {
        let mut after = (i32::MIN, Uuid::nil());
        loop {
            let copied = sqlx::query_as(include_str!("../sql/maintenance/copy_states.sql"));
            let copied = copied.bind(part).bind(after.0).bind(after.1).bind(ROWS_AT_ONCE);
            match copied.fetch_optional(&mut *connection).await? {
                Some(last) => after = last,
                None => break,
            }
        }
    }
    if !parts.is_empty() {
        patiently(connection, include_str!("../sql/maintenance/finish_states.sql")).await?;
    }
    let old = sqlx::query(include_str!("../sql/maintenance/drop_old_states.sql"));
    old.execute(&mut *connection).await?;
    Ok(())
}

/// Runs a statement that takes a lock for a moment. It gives up after 100 ms, because others would wait behind it, and is
/// tried again.
async fn patiently(
    connection: &mut PgConnection,
    statement: &'static str,
) -> Result<Option<String>, StoreError> {
    let mut attempt = 1;
    loop {
        match sqlx::query_scalar(statement).fetch_one(&mut *connection).await {
            Err(error) if attempt < ATTEMPTS && is_lock_timeout(&error) => {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            result => return Ok(result?),
        }
    }
}
