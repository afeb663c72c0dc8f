//! What the runs about retrieval share: a server in this process, doubles for its models, memories in
//! large numbers, the same statements by pgbench, and how figures are put together.

pub mod bank;
pub mod doubles;
pub mod figures;
pub mod pgbench;
pub mod server;
pub mod sides;
