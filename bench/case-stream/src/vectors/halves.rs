//! Vectors in half precision, and similarity, as the database stores and computes them. A difference in the last bit
//! can swap two memories, which changes all later results.

use half::f16;
use reflect_model::Embedding;

/// The number of parallel sums (SIMD lanes) in the database.
const LANES: usize = 8;

/// Rows of half-precision values, converted to single precision once.
#[derive(Debug, Clone)]
pub struct Halves {
    numbers: Vec<f32>,
    dimensions: usize,
}

impl Halves {
    /// Rounds vectors to half precision.
    pub fn round(vectors: &[Embedding]) -> Self {
        let dimensions = vectors.first().map_or(1, Embedding::dimensions);
        let numbers = vectors.iter().flat_map(|vector| vector.as_slice());
        Self { numbers: numbers.map(|number| f16::from_f32(*number).to_f32()).collect(), dimensions }
    }

    /// One of the vectors.
    pub fn row(&self, at: usize) -> &[f32] {
        &self.numbers[at * self.dimensions..(at + 1) * self.dimensions]
    }

    /// The number of vectors.
    pub fn rows(&self) -> usize {
        self.numbers.len() / self.dimensions
    }

    /// The number of dimensions.
    pub const fn dimensions(&self) -> usize {
        self.dimensions
    }
}

/// The inner product of two rows of [`Halves`], bit for bit as pgvector computes it for `halfvec` on a processor with
/// F16C: eight parallel sums, folded in half three times, then the remaining values. The source of pgvector adds the
/// eight sums in order. It is compiled with permission to reorder them, and this is the order that compilers choose.
///
/// The database uses fused multiply-add. Two separate steps give the same result here: the product of two numbers with
/// 11 significant bits has at most 22 bits, so it is exact.
///
/// ```
/// use reflect_case_stream::vectors::inner_product;
/// assert_eq!(inner_product(&[0.5, 0.25, 1.0], &[1.0, 2.0, -0.5]), 0.5);
/// ```
pub fn inner_product(one: &[f32], other: &[f32]) -> f32 {
    let (ones, one_left) = one.as_chunks::<LANES>();
    let (others, other_left) = other.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (one, other) in ones.iter().zip(others) {
        // Unrolled, because the order of the sums matters and this is most of the work.
        sums[0] += one[0] * other[0];
        sums[1] += one[1] * other[1];
        sums[2] += one[2] * other[2];
        sums[3] += one[3] * other[3];
        sums[4] += one[4] * other[4];
        sums[5] += one[5] * other[5];
        sums[6] += one[6] * other[6];
        sums[7] += one[7] * other[7];
    }
    let [a, b, c, d, e, f, g, h] = sums;
    let sum = ((a + e) + (c + g)) + ((b + f) + (d + h));
    one_left.iter().zip(other_left).fold(sum, |sum, (one, other)| sum + one * other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// The same with fused steps, one lane after the other, folded like a processor does.
    fn fused(one: &[f32], other: &[f32]) -> f32 {
        let whole = one.len() / LANES * LANES;
        let lane = |lane: usize| {
            (lane..whole).step_by(LANES).fold(0.0_f32, |sum, at| one[at].mul_add(other[at], sum))
        };
        let mut sums: Vec<f32> = (0..LANES).map(lane).collect();
        while sums.len() > 1 {
            let upper = sums.split_off(sums.len() / 2);
            sums.iter_mut().zip(upper).for_each(|(sum, upper)| *sum += upper);
        }
        let sum = sums[0];
        (whole..one.len()).fold(sum, |sum, at| one[at].mul_add(other[at], sum))
    }

    fn random(count: usize, dimensions: usize) -> Halves {
        let mut random = SmallRng::seed_from_u64(7);
        let mut vector = || (0..dimensions).map(|_| random.random_range(-1.0..1.0)).collect();
        Halves::round(&(0..count).map(|_| Embedding::new(vector()).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn the_inner_product_equals_that_of_the_database() {
        for dimensions in [384, 381, 5] {
            let halves = random(100, dimensions);
            for at in 1..halves.rows() {
                let (one, other) = (halves.row(at - 1), halves.row(at));
                assert_eq!(inner_product(one, other).to_bits(), fused(one, other).to_bits());
            }
        }
    }

    #[test]
    fn rounding_keeps_half_precision_values() {
        let vector = Embedding::new(vec![1.0 / 3.0, 1.0, 0.1]).unwrap();

        let halves = Halves::round(std::slice::from_ref(&vector));

        for (rounded, exact) in halves.row(0).iter().zip(vector.as_slice()) {
            assert_eq!(f16::from_f32(*rounded).to_f32(), *rounded);
            assert!((rounded - exact).abs() <= exact.abs() / 2048.0);
        }
    }
}
