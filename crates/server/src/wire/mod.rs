//! Between the bodies of the contract and what the engine and the store speak of. Plain functions.

mod keys;
mod traces;

pub(crate) use keys::{created_key, first_key, key, key_request};
pub(crate) use traces::{run, submission, trace};
