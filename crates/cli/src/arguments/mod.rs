//! Types of command line arguments that several commands share.

pub(crate) mod ids;
pub(crate) mod length;
pub(crate) mod pairs;
pub(crate) mod resolve;
