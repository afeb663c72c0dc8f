//! The Rust client of Reflect, a memory for AI agents that learns from outcomes.
//!
//! [`ReflectClient`] has a method for every route of the HTTP contract, with bodies that it shares with the server
//! (`reflect-api`). A [`Run`] wraps what an agent does about one task: memories are retrieved when it starts, and its
//! trace is sent in the background when it ends. Neither blocks nor fails if the server is unavailable.
//!
//! ```no_run
//! use reflect_sdk::{Message, Output, ReflectClient, ReviewVerdict};
//!
//! # async fn my_agent(_prompt: &str) -> String { String::new() }
//! # async fn example() -> Result<(), reflect_sdk::Error> {
//! let client = ReflectClient::from_env()?;
//!
//! let run = client.run("Refund order 1182, which arrived broken").start().await;
//! let answer = my_agent(run.augmented_task()).await;
//! run.message(Message::user(run.augmented_task()));
//! run.message(Message::assistant(answer));
//! let trace_id = run.finish(Output::reviewed(ReviewVerdict::pass()));
//!
//! println!("{trace_id} is on its way");
//! client.flush(std::time::Duration::from_secs(10)).await;
//! # Ok(())
//! # }
//! ```
//!
//! Unsent runs are not stored on disk. Runs that are not acknowledged when the process ends are lost; call
//! [`ReflectClient::flush`] before. The Python client has a spool for this.

// The workspace lists both crates twice, because the published client needs fewer features than the server.
/// The HTTP library, for [`ReflectClientBuilder::http_client`].
pub extern crate sdk_reqwest as reqwest;
extern crate sdk_tokio as tokio;

mod address;
mod calls;
mod client;
mod connection;
mod delivery;
mod environment;
mod error;
#[cfg(feature = "reflexion-loop")]
mod long_term;
mod memory_query;
mod message;
mod new_trace;
mod paging;
mod recall;
mod run;
mod signal;
mod verdict;
mod wire;

pub use calls::{
    ActionCalls, Augmented, CurationCalls, KeyCalls, LessonCalls, MemoryCalls, ProjectCalls, QueueCalls,
    Recalled, ReviewCalls, ReviewOutcome, ServerCalls, SignalCalls, SkillCalls, TraceCalls, TraceFilter,
    WebhookCalls,
};
pub use client::{RawAnswer, ReflectClient, ReflectClientBuilder};
pub use delivery::{DeliveryCounters, Dropped, FlushReport};
pub use error::{Error, StatusError};
pub use memory_query::MemoryQuery;
pub use message::{Message, Trajectory};
pub use new_trace::NewTrace;
pub use paging::{Listing, Page};
pub use run::{Output, Run, RunBuilder, RunContext};
pub use signal::OutgoingSignal;
pub use verdict::ReviewVerdict;

/// The bodies of the HTTP contract.
pub use reflect_api as api;
/// The types of the HTTP contract: ids, results, scopes.
pub use reflect_types as types;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
