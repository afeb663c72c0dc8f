//! Whether a value looks like a generated secret.

/// Shannon entropy of the value, in bits per byte.
pub(crate) fn bits_per_byte(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let share = |count: u32| f64::from(count) / length;
    counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).log2()).sum()
}

/// The kinds of characters in a value.
pub(crate) struct Mixture {
    pub(crate) letters: bool,
    pub(crate) both_cases: bool,
    pub(crate) digits: bool,
    pub(crate) others: bool,
}

impl Mixture {
    pub(crate) fn of(value: &str) -> Self {
        let any = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
        Self {
            letters: any(|c| c.is_alphabetic()),
            both_cases: any(|c| c.is_lowercase()) && any(|c| c.is_uppercase()),
            digits: any(char::is_ascii_digit),
            others: any(|c| !c.is_alphanumeric()),
        }
    }

    pub(crate) fn kinds(&self) -> usize {
        [self.letters, self.both_cases, self.digits, self.others].iter().filter(|kind| **kind).count()
    }
}
