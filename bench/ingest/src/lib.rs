//! What the runs share that start and stop real processes: the binary, a throw-away cluster, a
//! server process, a lean HTTP client, and traces to send.

pub mod bare;
pub mod binary;
pub mod cargo;
pub mod cluster;
pub mod cpu;
pub mod http;
pub mod process;
pub mod workload;
