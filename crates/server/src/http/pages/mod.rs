//! The pages: sign-in, sign-out and setup, which work without scripts, and the console.

mod asset;
#[cfg(feature = "console")]
mod embedded;
mod files;
mod form;
mod frame;
pub(crate) mod log_in;
pub(crate) mod log_out;
pub(crate) mod provider;
pub(crate) mod set_up;

pub(crate) use files::file_or_page;
