//! What a seed draws: the order of the tickets and the errors of the reviews. It is the same for every arm.

use std::collections::HashSet;
use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use reflect_case_stream::vectors::inner_product;

use super::{Situation, World};

/// The share of reviews with the wrong result.
const WRONG_REVIEWS: f64 = 0.1;
/// The share of failed runs whose reviewer names a missing action.
const FEEDBACK: f64 = 0.3;
/// The number of tickets from which MemRL's constants are computed.
const SAMPLE: usize = 200;

/// The numbers of tickets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tickets that are reviewed and learned from.
    pub tickets: usize,
    /// Later tickets, which are not learned from.
    pub held_out: usize,
}

/// The tickets of one seed, as indexes.
#[derive(Debug, Clone)]
pub struct Draw {
    /// The tickets to learn from, in order.
    pub stream: Vec<usize>,
    /// The tickets without learning.
    pub held_out: Vec<usize>,
    /// The official base split, without learning.
    pub base: Vec<usize>,
    /// Whether the review of a ticket has the wrong result.
    pub wrong_review: Vec<bool>,
    /// Whether the review of a failed run names a missing action.
    pub feedback: Vec<bool>,
    /// Which of the missing actions: a number below 1.
    pub pick: Vec<f64>,
    /// The mean and the standard deviation of the similarity of two tickets, which MemRL fixes for each dataset.
    pub similarity: (f32, f32),
}

impl Draw {
    /// Draws the tickets of a seed: none of the base split, and no first state twice.
    pub fn new(world: &World, seed: u64, sizes: Sizes) -> anyhow::Result<Self> {
        let random = |purpose: u64| SmallRng::seed_from_u64(seed * 16 + purpose);
        let (base, mut others): (Vec<usize>, Vec<usize>) =
            (0..world.tickets.len()).partition(|ticket| world.tickets[*ticket].base);
        others.shuffle(&mut random(0));
        let mut seen: HashSet<usize> = base.iter().map(|ticket| world.tickets[*ticket].start).collect();
        others.retain(|ticket| seen.insert(world.tickets[*ticket].start));
        let rest = others.split_off(sizes.tickets.min(others.len()));
        let (stream, held_out) = (others, rest.into_iter().take(sizes.held_out).collect());
        let mut draw = random(1);
        let wrong_review = stream.iter().map(|_| draw.random_bool(WRONG_REVIEWS)).collect();
        let mut draw = random(2);
        let feedback = stream.iter().map(|_| draw.random_bool(FEEDBACK)).collect();
        let mut draw = random(3);
        let pick = stream.iter().map(|_| draw.random_range(0.0..1.0)).collect();
        let sample = stream.iter().take(SAMPLE).map(|ticket| &world.tickets[*ticket]);
        let sample: anyhow::Result<Vec<Arc<Situation>>> =
            sample.map(|ticket| world.situation(ticket, ticket.start)).collect();
        let similarity = statistics(&sample?);
        Ok(Self { stream, held_out, base, wrong_review, feedback, pick, similarity })
    }
}

/// The mean and the standard deviation of the similarities of all pairs.
fn statistics(sample: &[Arc<Situation>]) -> (f32, f32) {
    let mut similarities = Vec::new();
    for (place, one) in sample.iter().enumerate() {
        similarities
            .extend(sample[..place].iter().map(|other| f64::from(inner_product(&one.vector, &other.vector))));
    }
    let count = similarities.len().max(1) as f64;
    let mean = similarities.iter().sum::<f64>() / count;
    let variance = similarities.iter().map(|similarity| (similarity - mean).powi(2)).sum::<f64>() / count;
    // One ticket has no pair.
    let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    (mean as f32, deviation as f32)
}
