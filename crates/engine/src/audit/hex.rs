//! Hexadecimal text of keys, hashes and signatures.

pub(super) fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    // The parser of numbers also takes a sign.
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Exactly this many bytes.
pub(super) fn decode_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    decode(text)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_are_decoded() {
        assert_eq!(decode("00fF"), Some(vec![0, 255]));
        for wrong in ["0", "+f", "-1", "0x", "é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
