//! A small world for tests: a few tools, each with queries around a point.

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use reflect_model::Embedding;

use crate::data::{Dataset, SetName};
use crate::environment::World;
use crate::vectors::SetVectors;

const TOOLS: usize = 10;
const DIMENSIONS: usize = 16;

pub(crate) fn world() -> World {
    let mut random = SmallRng::seed_from_u64(1);
    let mut point = |around: &[f32], spread: f32| -> Vec<f32> {
        around.iter().map(|number| number + spread * random.random_range(-1.0..1.0)).collect()
    };
    let centres: Vec<Vec<f32>> = (0..TOOLS).map(|_| point(&[0.0; DIMENSIONS], 1.0)).collect();
    let labels: Vec<usize> = (0..800).map(|query| query % TOOLS).collect();
    let queries: Vec<Vec<f32>> = labels.iter().map(|label| point(&centres[*label], 0.9)).collect();
    let tools: Vec<Vec<f32>> = centres.iter().map(|centre| point(centre, 0.9)).collect();
    let embeddings =
        |points: Vec<Vec<f32>>| points.into_iter().map(|at| Embedding::new(at).unwrap()).collect();
    let set = Dataset {
        name: SetName::Bank,
        texts: (0..800).map(|query| format!("query {query}")).collect(),
        labels,
        train: 650,
        tools: (0..TOOLS).map(|tool| format!("tool_{tool}")).collect(),
    };
    let tools: Vec<Embedding> = embeddings(tools);
    let (reports, advice) = (tools.clone(), tools.clone());
    World::new(set, &SetVectors { queries: embeddings(queries), tools, reports, advice })
}
