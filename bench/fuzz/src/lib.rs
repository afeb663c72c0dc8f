//! Tests parsers of external data with generated input.
//!
//! A target is a unit test in a file `fuzz.rs` beside its parser, so that it can call private functions:
//!
//! ```
//! reflect_fuzz::FuzzTarget::new("numbers").words(&["-", "+"]).run(
//!     |source| source.text(20),
//!     |input| {
//!         let Ok(text) = str::from_utf8(input) else { return };
//!         if let Ok(number) = text.parse::<u8>() {
//!             assert_eq!(number.to_string().parse(), Ok(number));
//!         }
//!     },
//! );
//! ```
//!
//! A run checks the kept inputs in `bench/fuzz/corpus/<target>`, and then as many generated ones as `REFLECT_FUZZ_CASES`
//! says. Every case follows from the seed and its number, so it can be repeated alone. An input that fails is made
//! smaller, printed, and written to the corpus. `just fuzz` runs all targets with more cases, and their mutants.
//!
//! This crate knows no parser and has no dependency on other crates of the workspace, because their tests use it.

mod case_source;
mod corpus;
mod cpu_time;
mod json_text;
mod mutation;
mod panics;
mod parts;
mod settings;
mod shrink;
mod target;
mod watchdog;

pub use case_source::CaseSource;
pub use json_text::can_be_repeated;
pub use parts::{join, parts};
pub use target::FuzzTarget;
