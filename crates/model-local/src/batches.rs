//! Splits texts into batches.
//!
//! The texts of a batch are padded to the longest one, and padding costs as much as words.

use std::ops::Range;

/// The maximum number of tokens of a batch, including padding. A longer text is its own batch.
///
/// Measured with one thread: with smaller batches, short texts take up to twice as long, because the weights are read
/// for each of them. Larger batches are not faster. A batch cannot be interrupted, so its size also limits how long a
/// single text waits.
pub(crate) const BATCH_TOKENS: usize = 256;

/// Splits texts into batches, given their lengths in ascending order.
pub(crate) fn batches(lengths: &[usize], most_tokens: usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut from = 0;
    for (at, &longest) in lengths.iter().enumerate() {
        let with_this_one = at + 1 - from;
        if at > from && with_this_one * longest > most_tokens {
            batches.push(from..at);
            from = at;
        }
    }
    if from < lengths.len() {
        batches.push(from..lengths.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_share_a_batch_and_long_ones_run_alone() {
        assert_eq!(batches(&[3, 3, 4, 5, 60, 90], 100), [0..4, 4..5, 5..6]);
    }

    #[test]
    fn a_text_longer_than_a_batch_is_a_batch() {
        assert_eq!(batches(&[500, 600], 100), [0..1, 1..2]);
    }

    #[test]
    fn no_texts_make_no_batch() {
        assert!(batches(&[], 100).is_empty());
    }

    #[test]
    fn every_text_is_in_one_batch_and_padding_is_bounded() {
        let lengths: Vec<usize> = (0..500).map(|n| 2 + n / 3).collect();

        let batches = batches(&lengths, BATCH_TOKENS);

        let covered: Vec<usize> = batches.iter().cloned().flatten().collect();
        assert_eq!(covered, (0..lengths.len()).collect::<Vec<_>>());
        for batch in batches {
            assert!(batch.len() * lengths[batch.end - 1] <= BATCH_TOKENS, "{batch:?}");
        }
    }
}
