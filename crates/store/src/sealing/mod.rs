//! Optional encryption of stored values (envelope encryption).
//!
//! Keys outside of the database wrap one data key per project, and the data key encrypts values. Every transaction has the
//! [`Sealer`] of its project; statements seal what they write and open what they read. Encrypted values describe
//! themselves, so plain and encrypted rows exist side by side.

mod cipher;
mod encryption_keys;
mod sealer;

pub use cipher::SealError;
pub(crate) use cipher::random_key;
pub(crate) use encryption_keys::WrappedKey;
pub use encryption_keys::{EncryptionKeyError, EncryptionKeys};
pub(crate) use sealer::{SEALED_BYTES, SEALED_TEXT, SealedColumn, Sealer};
