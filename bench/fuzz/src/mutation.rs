//! Changes of an input that is already interesting.

use super::CaseSource;

const MOST_CHANGES: usize = 6;

impl CaseSource<'_> {
    /// One of the kept inputs with a few changes. They must not be empty.
    pub(crate) fn changed(&mut self, kept: &[Vec<u8>]) -> Vec<u8> {
        let mut input = self.pick(kept).clone();
        for _ in 0..=self.size(MOST_CHANGES) {
            let (from, to) = self.range(input.len());
            match self.below(9) {
                0 if !input.is_empty() => {
                    let at = self.below(input.len());
                    input[at] = self.byte();
                }
                1 if !input.is_empty() => {
                    let at = self.below(input.len());
                    input[at] ^= 1 << self.below(8);
                }
                2 => drop(input.drain(from..to)),
                3 => {
                    let part = input[from..to].to_vec();
                    insert(&mut input, from, &part);
                }
                4 => {
                    let other = self.pick(kept);
                    let (start, end) = self.range(other.len());
                    insert(&mut input, from, &other[start..end]);
                }
                5 => {
                    let number = self.number();
                    replace(&mut input, from, to, number.as_bytes());
                }
                6 => insert(&mut input, from, self.character().encode_utf8(&mut [0; 4]).as_bytes()),
                7 => input.truncate(to),
                _ => insert(&mut input, from, self.word().as_bytes()),
            }
        }
        input
    }

    /// A short part of something with this length.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let from = self.below(length + 1);
        (from, (from + self.size(64)).min(length))
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    replace(input, at, at, bytes);
}

fn replace(input: &mut Vec<u8>, from: usize, to: usize, bytes: &[u8]) {
    drop(input.splice(from..to, bytes.iter().copied()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_input_differs_and_stays_small() {
        let mut source = CaseSource::new(1, &["word"]);
        let kept = [b"{\"role\": \"user\"}".to_vec(), Vec::new()];

        let changed: Vec<Vec<u8>> = (0..200).map(|_| source.changed(&kept)).collect();

        assert!(changed.iter().filter(|input| !kept.contains(input)).count() > 150);
        assert!(changed.iter().all(|input| input.len() < 1000));
    }
}
