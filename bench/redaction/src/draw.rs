//! Random texts from a seed.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub(crate) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
pub(crate) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
pub(crate) const DIGITS: &str = "0123456789";
pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(crate) const URLSAFE: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// A random generator that depends only on the seed.
#[derive(Debug)]
pub struct Draw(StdRng);

impl Draw {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    pub(crate) fn within(&mut self, from: usize, to: usize) -> usize {
        self.0.random_range(from..=to)
    }

    pub(crate) fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters = alphabet.as_bytes();
        (0..length).map(|_| char::from(letters[self.below(letters.len())])).collect()
    }

    pub(crate) fn digits(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| u32::try_from(self.below(10)).unwrap_or_default()).collect()
    }

    pub(crate) fn one<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// Random digits.
pub(crate) fn text(digits: &[u32]) -> String {
    digits.iter().map(ToString::to_string).collect()
}
