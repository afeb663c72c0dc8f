//! What the spans of a run say, as it is stored: compressed, and encrypted if the project has a key.

use uuid::Uuid;

use super::read::{BodyError, decode};
use crate::error::StoreError;
use crate::ids::OtlpId;
use crate::sealing::{SealError, SealedColumn, Sealer};

/// To read more than this would block other tasks of the thread.
const READ_ELSEWHERE: usize = 256 * 1024;

/// A part as it is stored.
#[derive(sqlx::FromRow)]
pub(super) struct PartRow {
    part_id: Uuid,
    codec: i16,
    length: i32,
    digest: Vec<u8>,
    content: Vec<u8>,
}

/// The parts of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReadParts {
    pub(super) texts: Vec<String>,
    /// How many are damaged.
    pub(super) unreadable: u64,
}

/// Reads parts, on another thread if they are large. Damaged ones are counted: another attempt would not read them either. An
/// error means that it may, once the process has its encryption key or has been replaced by a newer one.
pub(super) async fn read_parts(
    run: OtlpId,
    rows: Vec<PartRow>,
    sealer: Sealer,
) -> Result<ReadParts, StoreError> {
    let bytes: usize = rows.iter().map(|row| usize::try_from(row.length).unwrap_or_default()).sum();
    if bytes < READ_ELSEWHERE {
        return read_all(run, &rows, &sealer);
    }
    let read = tokio::task::spawn_blocking(move || read_all(run, &rows, &sealer)).await;
    read.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

fn read_all(run: OtlpId, rows: &[PartRow], sealer: &Sealer) -> Result<ReadParts, StoreError> {
    let mut parts = ReadParts::default();
    for row in rows {
        match row.text(run, sealer) {
            Ok(text) => parts.texts.push(text),
            Err(BodyError::Sealed(error @ SealError::NoKey)) => return Err(error.into()),
            Err(BodyError::UnknownCodec(_)) => return Err(StoreError::Corrupt { what: "span of a run" }),
            Err(error) => {
                if parts.unreadable == 0 {
                    tracing::error!(otlp.run = %run, %error, "a span of run {run} cannot be read: {error}");
                }
                parts.unreadable += 1;
            }
        }
    }
    Ok(parts)
}

impl PartRow {
    fn text(&self, run: OtlpId, sealer: &Sealer) -> Result<String, BodyError> {
        let place = SealedColumn::OtlpPart.of(part_row(run, self.part_id));
        let content = sealer.open_bytes(place, &self.content)?;
        decode(self.codec, self.length, &self.digest, &content)
    }
}

/// The row of a part, as encryption names it: a part of one run cannot be read as one of another.
pub(crate) fn part_row(run: OtlpId, part: Uuid) -> Uuid {
    let mut digest = blake3::Hasher::new();
    digest.update(run.as_bytes());
    digest.update(part.as_bytes());
    let mut row = [0; 16];
    row.copy_from_slice(&digest.finalize().as_bytes()[..16]);
    Uuid::from_bytes(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::Body;
    use reflect_types::ProjectId;

    const RUN: OtlpId = Uuid::from_u128(7);

    fn row(part: u128, text: &str) -> PartRow {
        let Body { codec, length, digest, bytes } = Body::encode(text);
        PartRow { part_id: Uuid::from_u128(part), codec, length, digest: digest.to_vec(), content: bytes }
    }

    fn sealed(part: u128, text: &str, sealer: &Sealer) -> PartRow {
        let row = row(part, text);
        let place = SealedColumn::OtlpPart.of(part_row(RUN, row.part_id));
        let content = sealer.seal_bytes(place, &row.content).unwrap().into_owned();
        PartRow { content, ..row }
    }

    #[test]
    fn parts_of_different_runs_have_different_rows() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u64_pair(1, 0));
        assert_ne!(part_row(Uuid::nil(), one), part_row(two, Uuid::nil()));
        assert_ne!(part_row(one, two), part_row(two, one));
        assert_eq!(part_row(one, two), part_row(one, two));
    }

    #[tokio::test]
    async fn many_bytes_are_read_like_few() {
        let off = Sealer::off(ProjectId::new(1));
        for text in ["few".to_owned(), "many ".repeat(READ_ELSEWHERE)] {
            let read = read_parts(RUN, vec![row(1, &text)], off.clone()).await.unwrap();
            assert_eq!(read, ReadParts { texts: vec![text], unreadable: 0 });
        }
    }

    #[tokio::test]
    async fn damaged_parts_are_counted_and_a_missing_key_or_an_unknown_codec_is_an_error() {
        let (project, key) = (ProjectId::new(1), [3; 32]);
        let (sealer, off) = (Sealer::new(project, &key).unwrap(), Sealer::off(project));
        let damaged = PartRow { digest: vec![0; 32], ..row(2, "two") };
        let moved = PartRow { part_id: Uuid::from_u128(4), ..sealed(3, "three", &sealer) };
        let read = read_parts(RUN, vec![sealed(1, "one", &sealer), damaged, moved], sealer.clone()).await;
        assert_eq!(read.unwrap(), ReadParts { texts: vec!["one".to_owned()], unreadable: 2 });

        let without_key = read_parts(RUN, vec![sealed(1, "one", &sealer)], off.clone()).await;
        assert!(matches!(without_key, Err(StoreError::Corrupt { .. })), "{without_key:?}");
        let of_a_newer_version = PartRow { codec: 7, ..row(1, "one") };
        assert!(read_parts(RUN, vec![of_a_newer_version], off).await.is_err());
    }
}
