//! The Rust client of Reflect, a memory for AI agents that learns from outcomes.
//!
//! [`ReflectClient`] has a method for every route of the HTTP contract, with bodies that it shares with the server
//! (`reflect-api`). A [`Run`] wraps what an agent does about one task: memories are retrieved when it starts, and its
//! trace is sent in the background when it ends. Neither waits for a server in trouble, and neither fails because of one.
//!
//! ```no_run
//! use reflect_sdk::{Message, Output, ReflectClient, Verdict};
//!
//! # async fn my_agent(_prompt: &str) -> String { String::new() }
//! # async fn example() -> Result<(), reflect_sdk::Error> {
//! let client = ReflectClient::from_env()?;
//!
//! let run = client.run("Refund order 1182, which arrived broken").start().await;
//! let answer = my_agent(run.augmented_task()).await;
//! run.message(Message::user(run.augmented_task()));
//! run.message(Message::assistant(answer));
//! let trace_id = run.finish(Output::reviewed(Verdict::pass()));
//!
//! println!("{trace_id} is on its way");
//! client.flush(std::time::Duration::from_secs(10)).await;
//! # Ok(())
//! # }
//! ```
//!
//! Not its business: keeping runs on disk. What was not acknowledged when the process ends is lost; call
//! [`ReflectClient::flush`] before that. The Python client has a spool for this.

// The workspace lists both twice, because a published client asks for fewer features than a server.
/// The HTTP library, for [`ReflectClientBuilder::http_client`].
pub extern crate sdk_reqwest as reqwest;
extern crate sdk_tokio as tokio;

mod address;
mod builder;
mod calls;
mod client;
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
mod verdict;
mod wire;

pub use builder::ReflectClientBuilder;
pub use calls::{Augmented, RawAnswer, Recalled, ReviewOutcome, TraceFilter};
pub use client::ReflectClient;
pub use delivery::{DeliveryCounters, Dropped, FlushReport};
pub use error::{Error, StatusError};
pub use memory_query::MemoryQuery;
pub use message::{Message, Trajectory};
pub use new_trace::NewTrace;
pub use paging::{Listing, Page};
pub use run::{Output, Run, RunBuilder, RunContext};
pub use verdict::Verdict;

/// The bodies of the HTTP contract.
pub use reflect_api as api;
/// The words of the HTTP contract: ids, results, scopes.
pub use reflect_types as types;

/// The README's programs compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
