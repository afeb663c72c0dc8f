//! Vectors derived from real embeddings. Random vectors would not do: in 384 dimensions all of them are about equally far
//! apart, so an approximate search over them says nothing about one over tasks.
//!
//! The embeddings are those of the queries of two public datasets by the local model. The first memories are these
//! embeddings themselves. Every further one is a real embedding, moved a random part of the way to another one of the same
//! intent, and then by at most half of the difference of two embeddings of one intent. So all directions of change are
//! directions in which real tasks differ. Questions are real embeddings of the test sets, which no memory is made of.

use std::path::Path;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reflect_case_stream::data::{Dataset, SetName};
use reflect_case_stream::project;
use reflect_case_stream::vectors::SetVectors;

/// A question: its text and its vector.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The text.
    pub(crate) text: String,
    /// The vector.
    pub(crate) vector: Vec<f32>,
}

/// Real embeddings, and what is derived from them.
#[derive(Debug, Default)]
pub(crate) struct RealVectors {
    texts: Vec<String>,
    vectors: Vec<Vec<f32>>,
    /// The queries of each intent.
    intents: Vec<Vec<usize>>,
    /// The intent of each query.
    intent_of: Vec<usize>,
    held_out: Vec<Question>,
}

impl RealVectors {
    /// Reads the datasets and embeds them, or takes their vectors from the cache.
    pub(crate) fn obtain(sets: &[SetName], folder: Option<&Path>) -> anyhow::Result<Self> {
        let folder = folder.map_or_else(project::default_data, Path::to_owned);
        let (model, cache) = (project::minilm()?, project::vector_cache()?);
        let mut all = Self::default();
        for name in sets {
            let set = Dataset::read(*name, &folder)?;
            let vectors = SetVectors::obtain(&set, &model, &cache)?;
            let vectors = vectors.queries.iter().map(|vector| vector.as_slice().to_vec()).collect();
            all.add(&set, vectors);
        }
        Ok(all)
    }

    fn add(&mut self, set: &Dataset, vectors: Vec<Vec<f32>>) {
        let first_intent = self.intents.len();
        self.intents.resize(first_intent + set.tools.len(), Vec::new());
        for (number, vector) in vectors.into_iter().enumerate() {
            let text = set.texts[number].clone();
            if number < set.train {
                let intent = first_intent + set.labels[number];
                self.intents[intent].push(self.texts.len());
                self.intent_of.push(intent);
                self.texts.push(text);
                self.vectors.push(vector);
            } else {
                self.held_out.push(Question { text, vector });
            }
        }
    }

    /// How vectors are derived, in a line.
    pub(crate) fn method(&self) -> String {
        format!(
            "{} real embeddings, then real ones moved toward their intent and by half a real difference",
            self.vectors.len()
        )
    }

    /// The number of dimensions.
    pub(crate) fn dimensions(&self) -> usize {
        self.vectors.first().map_or(0, Vec::len)
    }

    /// Questions of the test sets, spread over all of them.
    pub(crate) fn questions(&self, count: usize) -> Vec<Question> {
        let step = (self.held_out.len() / count.max(1)).max(1);
        self.held_out.iter().step_by(step).take(count).cloned().collect()
    }

    /// The text of a memory: a real task.
    pub(crate) fn text(&self, memory: usize) -> &str {
        &self.texts[self.source(memory, &mut random(memory))]
    }

    /// The vector of a memory. Always the same for the same number.
    pub(crate) fn vector(&self, memory: usize) -> Vec<f32> {
        let mut random = random(memory);
        let source = self.source(memory, &mut random);
        let from = &self.vectors[source];
        if memory < self.vectors.len() {
            return from.clone();
        }
        let same = &self.intents[self.intent_of[source]];
        let toward = &self.vectors[same[random.random_range(0..same.len())]];
        let other = &self.intents[self.intent_of[random.random_range(0..self.vectors.len())]];
        let one = &self.vectors[other[random.random_range(0..other.len())]];
        let another = &self.vectors[other[random.random_range(0..other.len())]];
        let (part, shift) = (random.random::<f32>(), random.random::<f32>() - 0.5);
        let moved = from.iter().zip(toward).zip(one.iter().zip(another));
        let moved = moved
            .map(|((from, toward), (one, another))| from + part * (toward - from) + shift * (one - another));
        normalised(moved.collect())
    }

    fn source(&self, memory: usize, random: &mut SmallRng) -> usize {
        let drawn = random.random_range(0..self.vectors.len());
        if memory < self.vectors.len() { memory } else { drawn }
    }
}

fn random(memory: usize) -> SmallRng {
    SmallRng::seed_from_u64(memory as u64)
}

fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> RealVectors {
        let mut draw = SmallRng::seed_from_u64(7);
        let texts: Vec<String> = (0..60).map(|number| format!("task {number}")).collect();
        let set = Dataset {
            name: SetName::Bank,
            labels: (0..texts.len()).map(|number| number % 5).collect(),
            texts,
            train: 50,
            tools: (0..5).map(|tool| format!("tool {tool}")).collect(),
        };
        let mut vector = |label: usize| {
            let near = (0..16).map(|at| f32::from(u8::from(at == label)) + 0.1 * draw.random::<f32>());
            normalised(near.collect())
        };
        let vectors = set.labels.iter().map(|label| vector(*label)).collect();
        let mut real = RealVectors::default();
        real.add(&set, vectors);
        real
    }

    fn similarity(one: &[f32], other: &[f32]) -> f32 {
        one.iter().zip(other).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn the_first_memories_are_real_and_the_others_stay_near_them() {
        let real = small();

        assert_eq!(real.vector(3), real.vectors[3]);
        assert_eq!(real.text(3), "task 3");
        for memory in 50..300 {
            let derived = real.vector(memory);
            assert!((similarity(&derived, &derived) - 1.0).abs() < 1e-5);
            let source = &real.vectors[real.source(memory, &mut random(memory))];
            assert!(similarity(&derived, source) > 0.8);
            assert_eq!(derived, real.vector(memory), "a number has one vector");
        }
    }

    #[test]
    fn no_memory_is_made_of_a_question() {
        let real = small();

        let questions = real.questions(5);

        assert_eq!(questions.len(), 5);
        assert!(questions.iter().all(|question| !real.texts.contains(&question.text)));
    }
}
