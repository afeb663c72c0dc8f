//! Fills projects with memories by COPY.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::copy_format::{VectorRows, escape};
use crate::real_vectors::RealVectors;
use crate::statements::{self, COPY_MEMORIES, COPY_VECTORS};

/// A filter by shop keeps one of this many memories.
pub(crate) const SHOPS: usize = 100;
/// How many bytes are sent at once.
const CHUNK: usize = 1 << 20;

/// Projects that get the same number of memories each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryBank {
    pub(crate) first_project: i32,
    pub(crate) projects: usize,
    pub(crate) each: usize,
    pub(crate) space: i16,
}

impl MemoryBank {
    /// Copies texts and vectors, and completes them.
    pub(crate) async fn fill(&self, connection: &mut PgConnection, real: &RealVectors) -> anyhow::Result<()> {
        let total = self.projects * self.each;
        statements::drop_term_indexes(connection).await?;
        let mut copy = connection.copy_in_raw(COPY_MEMORIES).await?;
        let mut lines = String::new();
        for memory in 0..total {
            lines.push_str(&self.line(memory, real.text(memory)));
            if lines.len() > CHUNK {
                copy.send(std::mem::take(&mut lines).into_bytes()).await?;
            }
        }
        copy.send(lines.into_bytes()).await?;
        copy.finish().await?;

        let mut copy = connection.copy_in_raw(COPY_VECTORS).await?;
        let mut rows = VectorRows::new();
        for memory in 0..total {
            rows.push(self.project(memory), self.space, memory_id(memory), &real.vector(memory));
            if rows.size() > CHUNK {
                copy.send(rows.take()).await?;
            }
        }
        copy.send(rows.finish()).await?;
        copy.finish().await?;
        statements::finish_memories(connection).await
    }

    fn project(&self, memory: usize) -> i32 {
        self.first_project + (memory / self.each) as i32
    }

    /// A memory in the text format. Its lesson is unlike any other, because equal lessons are served once.
    fn line(&self, memory: usize, text: &str) -> String {
        let task = escape(text);
        format!(
            "{}\t{}\t0\t{task}\tLook the case up before anything else, case {memory} says so: {task}\t\
             Look up case {memory} first\tAsk for the number of the case and look it up\t{}\t{}\n",
            self.project(memory),
            memory_id(memory),
            if memory.is_multiple_of(2) { 't' } else { 'f' },
            statements::metadata(memory % SHOPS),
        )
    }
}

/// The id of a memory: ids grow with the number, as those of the product grow with time.
pub(crate) fn memory_id(memory: usize) -> Uuid {
    const BEGINNING: u128 = 0x0199_0000_0000;
    const VERSION_AND_VARIANT: u128 = 0x7000_8000_0000_0000_0000;
    let number = memory as u128;
    Uuid::from_u128(((BEGINNING + number) << 80) | VERSION_AND_VARIANT | number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_version_7_and_ascending() {
        let (one, next) = (memory_id(1), memory_id(2));

        assert_eq!(one.get_version_num(), 7);
        assert_eq!(one.to_string(), "01990000-0001-7000-8000-000000000001");
        assert!(one < next);
    }

    #[test]
    fn a_line_has_nine_fields() {
        let bank = MemoryBank { first_project: 5, projects: 2, each: 10, space: 1 };

        let line = bank.line(12, "pay\tback");

        assert_eq!(line.trim_end().split('\t').count(), 9);
        assert!(line.starts_with("6\t01990000-000c-7000-8000-00000000000c\t0\tpay\\tback\t"));
        assert!(line.ends_with("\t{\"shop\":12}\n"));
    }
}
