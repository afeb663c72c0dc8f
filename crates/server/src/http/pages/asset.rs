//! A file of the console.

/// A file to send.
pub(super) struct Asset {
    pub(super) kind: String,
    pub(super) etag: String,
    pub(super) plain: Vec<u8>,
    pub(super) brotli: Option<Vec<u8>>,
    pub(super) gzip: Option<Vec<u8>>,
}
