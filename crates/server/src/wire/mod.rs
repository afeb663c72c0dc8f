//! Between the bodies of the contract and what the engine and the store speak of. Plain functions.

mod erasures;
mod keys;
mod learning;
mod memories;
mod projects;
mod reviews;
mod traces;

pub(crate) use erasures::{erasure, erasure_request};
pub(crate) use keys::{created_key, first_key, key, key_request};
pub(crate) use learning::{client_report, loop_health, uplift, uplift_question};
pub(crate) use memories::{augmented, memories, question, retrieval, skill};
pub(crate) use projects::{project, settings_change};
pub(crate) use reviews::{authored, review_taken, verdict, verdict_on_trace};
pub(crate) use traces::{review, run, submission, trace};
