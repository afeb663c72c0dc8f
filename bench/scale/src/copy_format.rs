//! The formats of COPY: binary for vectors, because parsing their numbers would take longer than storing them, and text
//! for everything else.

use half::f16;
use uuid::Uuid;

/// The beginning of binary data: signature, flags, and the length of an extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end of binary data.
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

/// Rows of vectors in the binary format.
#[derive(Debug)]
pub(crate) struct VectorRows {
    bytes: Vec<u8>,
}

impl VectorRows {
    /// The beginning of the data.
    pub(crate) fn new() -> Self {
        Self { bytes: HEADER.to_vec() }
    }

    /// Adds a row: project, space, memory, vector.
    pub(crate) fn push(&mut self, project: i32, space: i16, memory: Uuid, vector: &[f32]) {
        self.bytes.extend(4_i16.to_be_bytes());
        self.field(&project.to_be_bytes());
        self.field(&space.to_be_bytes());
        self.field(memory.as_bytes());
        // The form of `halfvec`: the number of dimensions, two unused bytes, the values.
        let mut half = Vec::with_capacity(4 + 2 * vector.len());
        half.extend((vector.len() as i16).to_be_bytes());
        half.extend([0, 0]);
        half.extend(vector.iter().flat_map(|value| f16::from_f32(*value).to_be_bytes()));
        self.field(&half);
    }

    /// The number of bytes.
    pub(crate) const fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes so far. Further rows continue them.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The last bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(TRAILER);
        self.bytes
    }

    fn field(&mut self, value: &[u8]) {
        self.bytes.extend((value.len() as i32).to_be_bytes());
        self.bytes.extend(value);
    }
}

/// A text as a field of the text format.
pub(crate) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_lengths_of_its_fields() {
        let mut rows = VectorRows::new();
        assert_eq!(rows.take().len(), 19);

        rows.push(1, 2, Uuid::nil(), &[1.0, -2.0]);

        // The number of fields, four lengths, and the fields.
        assert_eq!(rows.size(), 2 + 4 * 4 + 4 + 2 + 16 + 8);
        let bytes = rows.finish();
        assert_eq!(bytes[2..10], [0, 0, 0, 4, 0, 0, 0, 1]);
        assert_eq!(bytes[bytes.len() - 10..], [0, 2, 0, 0, 0x3c, 0, 0xc0, 0, 0xff, 0xff]);
    }

    #[test]
    fn separators_are_escaped() {
        assert_eq!(escape("a\tb\\c\nd"), "a\\tb\\\\c\\nd");
    }
}
