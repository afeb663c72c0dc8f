//! A worker process without maintenance, which has a row of its own: only claims and jobs use its processor time.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use reflect_bench_ingest::cpu::process_seconds;
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_store::{Store, StoreSettings, WorkSettings};
use tokio_util::sync::CancellationToken;

/// The defaults of the binary.
const CONNECTIONS: u32 = 20;
const LEARNERS: usize = 8;
/// How long running jobs may take after the end of the input. They end at once.
const GRACE: Duration = Duration::from_secs(5);
/// How long a process may take to end.
const PATIENCE: Duration = Duration::from_secs(15);

/// Runs jobs until standard input ends.
pub(crate) fn run(database_url: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = CancellationToken::new();
    let ended = stop.clone();
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        ended.cancel();
    });
    runtime.block_on(async {
        let store = Store::connect(&StoreSettings::new(database_url.to_owned().into(), CONNECTIONS)).await?;
        let engine = Engine::new(store, Models::default(), EngineSettings::default());
        let settings = WorkSettings { concurrency: LEARNERS, grace: GRACE, ..WorkSettings::default() };
        engine.worker.run(&settings, stop).await;
        engine.store.close().await;
        Ok(())
    })
}

/// Some worker processes. They end when it is dropped.
#[derive(Debug)]
pub(crate) struct Workers {
    processes: Vec<Child>,
}

impl Workers {
    /// Starts them.
    pub(crate) fn start(database_url: &str, count: usize) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let mut workers = Self { processes: Vec::new() };
        for _ in 0..count {
            let mut command = Command::new(&program);
            command.args(["--work", database_url]).stdin(Stdio::piped()).stdout(Stdio::null());
            workers.processes.push(command.spawn().context("a worker process does not start")?);
        }
        Ok(workers)
    }

    /// CPU seconds of all of them.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        self.processes.iter().map(|process| process_seconds(process.id())).sum()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for process in &mut self.processes {
            drop(process.stdin.take());
        }
        let end = Instant::now() + PATIENCE;
        for process in &mut self.processes {
            while !matches!(process.try_wait(), Ok(Some(_)) | Err(_)) {
                if Instant::now() > end {
                    let _ = process.kill();
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}
