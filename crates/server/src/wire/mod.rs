//! Between the bodies of the contract and what the engine and the store speak of. Plain functions.

mod keys;
mod memories;
mod projects;
mod reviews;
mod traces;

pub(crate) use keys::{created_key, first_key, key, key_request};
pub(crate) use memories::{augmented, memories, question, skill};
pub(crate) use projects::{project, settings_change};
pub(crate) use reviews::{authored, review_taken, verdict, verdict_on_trace};
pub(crate) use traces::{review, run, submission, trace};
