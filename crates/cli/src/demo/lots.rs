//! Numbers that look random and are the same for everyone: the example project must be the same on every machine.

/// The fractions of its multiples are spread evenly between 0 and 1.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// The generator SplitMix64.
#[derive(Debug, Clone)]
pub(super) struct Lots(u64);

impl Lots {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but not including 1.
    pub(super) const fn share(&mut self) -> f64 {
        // A double holds 53 bits exactly.
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The `nth` number of a sequence that covers 0 to 1 evenly, so that every part of it contains the same share of small
/// numbers.
pub(super) fn spread(nth: usize) -> f64 {
    (0.5 + nth as f64 * GOLDEN_RATIO).fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut lots = Lots::new(0);
        assert_eq!([lots.draw(), lots.draw()], [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&lots.share())));
    }

    #[test]
    fn every_part_of_the_spread_has_its_share() {
        for from in [0, 7, 100] {
            let small = (from..from + 50).filter(|nth| spread(*nth) < 0.44).count();
            assert!((21..=23).contains(&small), "{small}");
        }
    }
}
