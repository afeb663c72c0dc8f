//! Conversions between API bodies and the types of the engine and the store. Pure functions.

mod audit;
mod bulk_reviews;
mod console;
mod curation;
mod diagnosis;
mod embedding;
mod erasures;
mod judge;
mod keys;
mod learning;
mod lesson_bank;
mod lessons;
mod memories;
mod overview;
mod projects;
mod review_queue;
mod reviews;
mod signals;
mod steps;
mod trace_list;
mod traces;
mod webhooks;

pub(crate) use audit::audit_entry;
pub(crate) use bulk_reviews::{bulk_reviewed, bulk_verdict};
pub(crate) use console::{console_project, console_session, member, project_member, session, sign_in_link};
pub(crate) use curation::{
    action, bulk, bulk_answer, curation_answer, lesson_edit, manual_lesson, memory_detail, memory_history,
    memory_id, memory_neighbour, memory_page, memory_use, merge, stored_memory,
};
pub(crate) use diagnosis::diagnosis;
pub(crate) use embedding::{comparison, comparison_request, embedding_change};
pub(crate) use erasures::{erasure, erasure_request};
pub(crate) use judge::{judge_opinion, judge_status, judge_try};
pub(crate) use keys::{created_key, first_key, key, key_request, rotation};
pub(crate) use learning::{client_report, loop_health, uplift, uplift_question};
pub(crate) use lesson_bank::{
    lesson, lesson_detail, lesson_grouping, lesson_id, lesson_page, lesson_question, memories_of_lesson,
};
pub(crate) use memories::{augmented, memories, question, retrieval, skill};
pub(crate) use overview::{overview, overview_story};
pub(crate) use projects::project;
pub(crate) use review_queue::{
    defer_run, held_leases, lease_change, next_runs, not_deferred, queued_traces, review_queue,
};
pub(crate) use reviews::{accepted_review, verdict, verdict_on_trace};
pub(crate) use signals::{
    accepted_signal, feedback, feedback_token, signal_sources, signals_of_trace, submitted_signal,
};
pub(crate) use steps::step;
pub(crate) use trace_list::{trace_filter, trace_line};
pub(crate) use traces::{run, submission, trace};
pub(crate) use webhooks::{
    created_webhook, secret_overlap, webhook, webhook_change, webhook_delivery, webhook_delivery_detail,
    webhook_spec,
};
