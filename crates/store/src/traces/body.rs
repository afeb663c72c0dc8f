//! Trajectories as they are stored: compressed, with a digest.

use std::cell::RefCell;

use zstd::bulk::Compressor;

use super::read::{BodyError, decode};

/// The fastest level. Ingest is bound by CPU time, and level 3 takes twice as long to save 10 % more space.
const LEVEL: i32 = 1;
/// For a shorter text, the header of a compressed frame is larger than the saving.
const WORTH_COMPRESSING: usize = 256;

/// A trajectory as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    pub(crate) codec: i16,
    pub(crate) length: i32,
    pub(crate) digest: [u8; 32],
    pub(crate) bytes: Vec<u8>,
}

impl Body {
    /// Compresses a text for storage.
    ///
    /// ```
    /// use reflect_store::Body;
    ///
    /// let body = Body::encode(&"again and ".repeat(1000));
    /// assert!(body.stored_length() < 1000);
    /// assert_eq!(body.decode().unwrap(), "again and ".repeat(1000));
    /// ```
    pub fn encode(text: &str) -> Self {
        let digest = blake3::hash(text.as_bytes()).into();
        // Callers bound a body at 32 MB, so its length always fits.
        let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
        if text.len() >= WORTH_COMPRESSING
            && let Some(bytes) = compress(text.as_bytes())
        {
            return Self { codec: 1, length, digest, bytes };
        }
        Self { codec: 0, length, digest, bytes: text.as_bytes().to_vec() }
    }

    /// The text again, checked against its digest.
    pub fn decode(&self) -> Result<String, BodyError> {
        decode(self.codec, self.length, &self.digest, &self.bytes)
    }

    /// The digest of the text.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The bytes as they are stored.
    pub fn stored_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes are stored.
    pub const fn stored_length(&self) -> usize {
        self.bytes.len()
    }

    /// How many bytes the text has.
    pub(crate) fn plain_length(&self) -> u64 {
        u64::try_from(self.length).unwrap_or_default()
    }
}

fn compress(plain: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        // Creating its tables takes longer than compressing a short trajectory.
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL).ok());
    }
    COMPRESSOR.with_borrow_mut(|compressor| compressor.as_mut()?.compress(plain).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_texts_come_back() {
        for text in ["", "[]", &"x".repeat(255), &"abc é ".repeat(5000)] {
            assert_eq!(Body::encode(text).decode().as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        for text in ["short".to_owned(), "long enough to compress ".repeat(100)] {
            let mut body = Body::encode(&text);
            let middle = body.bytes.len() / 2;
            body.bytes[middle] ^= 1;
            assert!(body.decode().is_err());
        }
    }

    #[test]
    fn an_unknown_codec_is_named() {
        assert_eq!(decode(7, 0, &[], &[]), Err(BodyError::UnknownCodec(7)));
    }
}
