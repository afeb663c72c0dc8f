//! Between the bodies of the contract and what the engine and the store speak of. Plain functions.

mod bulk_reviews;
mod care;
mod console;
mod diagnosis;
mod embedding;
mod erasures;
mod judge;
mod keys;
mod learning;
mod memories;
mod overview;
mod projects;
mod review_queue;
mod reviews;
mod steps;
mod traces;

pub(crate) use bulk_reviews::{bulk_reviewed, bulk_verdict};
pub(crate) use care::{
    action, bulk, bulk_answer, care_answer, lesson_edit, listed, manual_lesson, memory_detail,
    memory_history, memory_id, memory_neighbour, memory_sort, memory_use, merge, stored_memory,
};
pub(crate) use console::{console_project, console_session, member, session, sign_in_link};
pub(crate) use diagnosis::diagnosis;
pub(crate) use embedding::{comparison, comparison_request, embedding_change};
pub(crate) use erasures::{erasure, erasure_request};
pub(crate) use judge::{judge_change, judge_status, judge_try, project_judge, tried_judge};
pub(crate) use keys::{created_key, first_key, key, key_request};
pub(crate) use learning::{client_report, loop_health, uplift, uplift_question};
pub(crate) use memories::{augmented, memories, question, retrieval, skill};
pub(crate) use overview::overview;
pub(crate) use projects::{project, settings_change};
pub(crate) use review_queue::{
    defer_run, held_leases, lease_change, next_runs, not_deferred, queued_traces, review_queue,
};
pub(crate) use reviews::{authored, review_taken, verdict, verdict_on_trace};
pub(crate) use steps::{step, step_kind, trace_line};
pub(crate) use traces::{review, run, submission, trace};
