//! The mean of similarity and a running average of outcomes: the usual method.

use reflect_engine::rank::{Considered, Ranking, rank};
use reflect_types::Credit;

use super::recommended::{memory_id, number};
use super::{Arm, LIMIT, PerMemory, Question, Review, UNDECIDED, WEIGHT, highest, nearest};

/// Blends over the nearest memories, or over all.
#[derive(Debug)]
pub(super) struct Blend {
    utilities: PerMemory<f32>,
    pool: Option<usize>,
    alpha: f32,
}

impl Blend {
    pub(super) const fn new(pool: Option<usize>, alpha: f32) -> Self {
        Self { utilities: PerMemory::new(UNDECIDED), pool, alpha }
    }
}

impl Arm for Blend {
    fn choose(&mut self, question: &Question<'_>) -> anyhow::Result<Vec<usize>> {
        let Some(pool) = self.pool else {
            // Does not use the product's function, which never ranks a whole bank and would sort all of it.
            let score = |memory: usize| {
                (1.0 - WEIGHT) * question.similarities[memory] + WEIGHT * self.utilities.get(memory)
            };
            let scores = question.bank.memories().map(|(memory, _)| (memory, score(memory)));
            return Ok(highest(scores, LIMIT).into_iter().map(|(memory, _)| memory).collect());
        };
        let considered = nearest(question, pool).into_iter().map(|(memory, similarity)| Considered {
            memory_id: memory_id(memory),
            similarity,
            q: *self.utilities.get(memory),
            credit: Credit::START,
            untrusted: None,
            lesson: None,
            text: None,
            absorbed: 0,
        });
        let ranked = rank(&considered.collect::<Vec<_>>(), Ranking::Classic, WEIGHT, -1.0);
        Ok(ranked.iter().take(LIMIT).map(|ranked| number(ranked.memory_id)).collect())
    }

    fn learn(&mut self, review: &Review<'_>) -> anyhow::Result<()> {
        for memory in review.shown {
            let utility = self.utilities.get_mut(*memory);
            *utility += self.alpha * (review.reward() - *utility);
        }
        Ok(())
    }
}
