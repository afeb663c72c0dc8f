//! Between the bodies of the contract and what the engine and the store speak of. Plain functions.

mod console;
mod keys;
mod learning;
mod memories;
mod overview;
mod projects;
mod reviews;
mod steps;
mod traces;

pub(crate) use console::{console_project, console_session, member, session, sign_in_link};
pub(crate) use keys::{created_key, first_key, key, key_request};
pub(crate) use learning::{client_report, loop_health, uplift, uplift_question};
pub(crate) use memories::{augmented, memories, question, retrieval, skill};
pub(crate) use overview::overview;
pub(crate) use projects::{project, settings_change};
pub(crate) use reviews::{authored, review_taken, verdict, verdict_on_trace};
pub(crate) use steps::{step, step_kind, trace_line};
pub(crate) use traces::{review, run, submission, trace};
