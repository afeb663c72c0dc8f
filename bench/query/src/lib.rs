//! Code shared by the retrieval benchmarks: a server in this process, test doubles of its models, many memories, the
//! same statements with pgbench, and statistics.

pub mod bank;
pub mod doubles;
pub mod figures;
pub mod pgbench;
pub mod server;
pub mod sides;
