//! Makes an input that fails smaller.

use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(5);
const MOST_TRIES: usize = 20_000;

/// The smallest input found for which `fails` is true. It is true for the given one.
pub(crate) fn smaller(input: Vec<u8>, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let (start, mut tries) = (Instant::now(), 0);
    let mut try_one = |candidate: &[u8]| {
        tries += 1;
        tries <= MOST_TRIES && start.elapsed() < LONGEST && fails(candidate)
    };
    let mut best = input;
    loop {
        let before = best.clone();
        let mut length = best.len().next_power_of_two();
        while length > 0 {
            let mut at = 0;
            while at < best.len() {
                let without = [&best[..at], &best[(at + length).min(best.len())..]].concat();
                if try_one(&without) {
                    best = without;
                } else {
                    at += length;
                }
            }
            length /= 2;
        }
        for at in 0..best.len() {
            for plain in [b'a', b'0', b' '] {
                if best[at] == plain {
                    break;
                }
                let mut simpler = best.clone();
                simpler[at] = plain;
                if try_one(&simpler) {
                    best = simpler;
                    break;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_makes_it_fail_is_left() {
        let input = b"a long text with one < and then one > in it".to_vec();
        let fails = |input: &[u8]| {
            let open = input.iter().position(|byte| *byte == b'<');
            open.is_some_and(|open| input[open..].contains(&b'>'))
        };

        assert_eq!(smaller(input, fails), b"<>");
    }
}
