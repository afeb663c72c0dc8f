//! Work of the operator: wraps data keys again after a rotation, and encrypts values that were stored in plain text.

use reflect_types::ProjectId;
use uuid::Uuid;

use crate::data_keys::DataKeys;
use crate::db::ProjectDb;
use crate::error::StoreError;
use crate::maintenance::MaintenanceStore;
use crate::requirements::Requirement;
use crate::sealing::{SEALED_BYTES, SEALED_TEXT, SealedColumn, WrappedKey};
use crate::traces::part_row;

/// Few, because one body may have several megabytes.
const BODIES_PER_BATCH: i64 = 16;
const TEXTS_PER_BATCH: i64 = 200;
const PARTS_PER_BATCH: i64 = 200;

/// The statements for one column of texts.
struct TextColumn {
    column: SealedColumn,
    plain: &'static str,
    seal: &'static str,
}

const TEXT_COLUMNS: [TextColumn; 5] = [
    TextColumn {
        column: SealedColumn::ReviewFeedback,
        plain: include_str!("../sql/encryption/plain_review_feedback.sql"),
        seal: include_str!("../sql/encryption/seal_review_feedback.sql"),
    },
    TextColumn {
        column: SealedColumn::JudgementFeedback,
        plain: include_str!("../sql/encryption/plain_judgement_feedback.sql"),
        seal: include_str!("../sql/encryption/seal_judgement_feedback.sql"),
    },
    TextColumn {
        column: SealedColumn::SignalComment,
        plain: include_str!("../sql/encryption/plain_signal_comment.sql"),
        seal: include_str!("../sql/encryption/seal_signal_comment.sql"),
    },
    TextColumn {
        column: SealedColumn::WebhookSecret,
        plain: include_str!("../sql/encryption/plain_webhook_secret.sql"),
        seal: include_str!("../sql/encryption/seal_webhook_secret.sql"),
    },
    TextColumn {
        column: SealedColumn::WebhookSecret,
        plain: include_str!("../sql/encryption/plain_previous_secret.sql"),
        seal: include_str!("../sql/encryption/seal_previous_secret.sql"),
    },
];

impl MaintenanceStore<'_> {
    fn data_keys(&self) -> Result<&DataKeys, StoreError> {
        Ok(self.db.data_keys.as_deref().ok_or(Requirement::NoEncryptionKey)?)
    }

    /// Wraps every data key with the first key of the configuration. Returns how many were changed. The encrypted values
    /// stay as they are.
    pub async fn rewrap_data_keys(&self) -> Result<u64, StoreError> {
        let keys = &self.data_keys()?.keys;
        let first = keys.ids().first().copied().unwrap_or_default();
        let (mut after, mut changed) = (ProjectId::INSTALLATION, 0);
        loop {
            let page: Vec<(ProjectId, String, Vec<u8>)> =
                sqlx::query_as(include_str!("../sql/maintenance/data_keys_of_others.sql"))
                    .bind(first)
                    .bind(after)
                    .fetch_all(&self.db.pools.writes)
                    .await?;
            let Some((last, ..)) = page.last() else { return Ok(changed) };
            after = *last;
            for (project, key_id, wrapped) in page {
                let stored = WrappedKey { key_id, wrapped };
                let again = keys.wrap_key(project, &keys.unwrap_key(project, &stored)?)?;
                let replaced = sqlx::query(include_str!("../sql/encryption/replace_data_key.sql"))
                    .bind(project)
                    .bind(again.key_id)
                    .bind(again.wrapped)
                    .bind(stored.wrapped)
                    .execute(&self.db.pools.writes)
                    .await?;
                changed += replaced.rows_affected();
            }
        }
    }

    /// Encrypts the values of a project that were stored in plain text, in short transactions while the server works.
    /// Returns how many. Can be interrupted and run again.
    pub async fn encrypt_project(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.data_keys()?;
        let db = self.db.project(project);
        let mut sealed = seal_bodies(&db).await? + seal_parts(&db).await?;
        for column in &TEXT_COLUMNS {
            sealed += seal_texts(&db, column).await?;
        }
        Ok(sealed)
    }
}

async fn seal_bodies(db: &ProjectDb) -> Result<u64, StoreError> {
    let (mut after, mut sealed) = (Uuid::nil(), 0);
    loop {
        let mut transaction = db.long_write().await?;
        let page: Vec<(Uuid, Vec<u8>)> = sqlx::query_as(include_str!("../sql/encryption/plain_bodies.sql"))
            .bind(db.project)
            .bind(after)
            .bind(SEALED_BYTES.as_slice())
            .bind(BODIES_PER_BATCH)
            .fetch_all(&mut *transaction)
            .await?;
        let Some((last, _)) = page.last() else { return Ok(sealed) };
        after = *last;
        for (row, body) in &page {
            let body = transaction.sealer.seal_bytes(SealedColumn::TraceBody.of(*row), body)?;
            let written = sqlx::query(include_str!("../sql/encryption/seal_body.sql"));
            let written = written.bind(db.project).bind(row).bind(&*body);
            sealed += written.execute(&mut *transaction).await?.rows_affected();
        }
        transaction.commit().await?;
    }
}

/// Spans of runs that wait for their end.
async fn seal_parts(db: &ProjectDb) -> Result<u64, StoreError> {
    let (mut after, mut sealed) = ((Uuid::nil(), Uuid::nil()), 0);
    loop {
        let mut transaction = db.long_write().await?;
        let page: Vec<(Uuid, Uuid, Vec<u8>)> =
            sqlx::query_as(include_str!("../sql/encryption/plain_parts.sql"))
                .bind(db.project)
                .bind(after.0)
                .bind(after.1)
                .bind(SEALED_BYTES.as_slice())
                .bind(PARTS_PER_BATCH)
                .fetch_all(&mut *transaction)
                .await?;
        let Some((run, part, _)) = page.last() else { return Ok(sealed) };
        after = (*run, *part);
        for (run, part, content) in &page {
            let place = SealedColumn::OtlpPart.of(part_row(*run, *part));
            let content = transaction.sealer.seal_bytes(place, content)?;
            let written = sqlx::query(include_str!("../sql/encryption/seal_part.sql"));
            let written = written.bind(db.project).bind(run).bind(part).bind(&*content);
            sealed += written.execute(&mut *transaction).await?.rows_affected();
        }
        transaction.commit().await?;
    }
}

async fn seal_texts(db: &ProjectDb, texts: &TextColumn) -> Result<u64, StoreError> {
    let (mut after, mut sealed) = (Uuid::nil(), 0);
    loop {
        let mut transaction = db.long_write().await?;
        let page: Vec<(Uuid, String)> = sqlx::query_as(texts.plain)
            .bind(db.project)
            .bind(after)
            .bind(SEALED_TEXT)
            .bind(TEXTS_PER_BATCH)
            .fetch_all(&mut *transaction)
            .await?;
        let Some((last, _)) = page.last() else { return Ok(sealed) };
        after = *last;
        for (row, stored) in page {
            let place = texts.column.of(row);
            let plain = transaction.sealer.open_text(place, stored.clone())?;
            let text = transaction.sealer.seal_text(place, &plain)?;
            let written = sqlx::query(texts.seal).bind(db.project).bind(row).bind(&*text).bind(stored);
            sealed += written.execute(&mut *transaction).await?.rows_affected();
        }
        transaction.commit().await?;
    }
}
