//! Code shared by benchmarks that run real processes: a temporary cluster, a server process, an HTTP
//! client, and traces to send.

pub mod bare;
pub mod cargo;
pub mod clock;
pub mod cluster;
pub mod cpu;
pub mod http;
pub mod memory;
pub mod postgres_programs;
pub mod process;
pub mod workload;
