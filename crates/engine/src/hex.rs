//! Hexadecimal text of keys, hashes, signatures and tokens.

pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    // One spelling only: `from_str_radix` also takes capital letters and a sign.
    if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) || !text.len().is_multiple_of(2) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Exactly this many bytes.
pub(crate) fn decode_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    decode(text)?.try_into().ok()
}
