//! Vectors without a model: hashed words, the same on every machine.

use crate::choose::SplitMix;

/// How many dimensions a word changes. With only one, two words with a hash collision would look the same.
const TOUCHED: usize = 8;

/// A vector of unit length. Vectors are similar if the texts share words.
///
/// ```
/// use reflect_scripted_provider::bag_of_words;
/// let similarity = |a: &str, b: &str| -> f32 {
///     bag_of_words(a, 384).iter().zip(bag_of_words(b, 384)).map(|(x, y)| x * y).sum()
/// };
/// assert!(similarity("cancel my flight", "Please cancel the flight!") > 0.5);
/// assert!(similarity("cancel my flight", "bake sourdough bread").abs() < 0.25);
/// ```
pub fn bag_of_words(text: &str, dimension: usize) -> Vec<f32> {
    let mut sums = vec![0.0f64; dimension];
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    if words.peek().is_none() {
        // A text without words must not get a zero vector.
        add_word(&mut sums, "");
    }
    for word in words {
        add_word(&mut sums, word);
    }
    let length = sums.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length == 0.0 {
        return constant(dimension);
    }
    sums.into_iter().map(|value| (value / length) as f32).collect()
}

/// A vector of unit length that is the same for every text.
pub(crate) fn constant(dimension: usize) -> Vec<f32> {
    let mut values = vec![0.0; dimension];
    values.iter_mut().take(1).for_each(|value| *value = 1.0);
    values
}

fn add_word(sums: &mut [f64], word: &str) {
    let mut random = SplitMix(fnv(word));
    for _ in 0..TOUCHED.min(sums.len()) {
        let bits = random.next();
        let place = (bits >> 1) % sums.len() as u64;
        sums[place as usize] += if bits & 1 == 0 { 1.0 } else { -1.0 };
    }
}

/// FNV-1a, because the standard library's hash can change between versions.
fn fnv(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_of_unit_length_and_never_change() {
        let vector = bag_of_words("Book a table", 16);

        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-6);
        // Fixed values: vectors that were stored earlier must stay valid.
        let rounded: Vec<i32> = vector.iter().map(|value| (value * 1000.0).round() as i32).collect();
        assert_eq!(rounded, WRITTEN_DOWN);
    }

    const WRITTEN_DOWN: [i32; 16] = [-236, 0, -236, -471, 0, 0, -236, 236, 0, 236, 0, 0, 471, -236, 471, 0];

    #[test]
    fn a_text_without_words_has_a_nonzero_vector() {
        for text in ["", " ", "?!"] {
            assert!(bag_of_words(text, 384).iter().any(|value| *value != 0.0));
        }
    }
}
