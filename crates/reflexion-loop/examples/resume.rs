//! A run that fails and resumes from its checkpoint without repeating completed steps. Run it with
//! `cargo run -p reflect-memory-reflexion-loop --example resume`.

// In another program, use `tokio` directly.
extern crate tokio_lean as tokio;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use reflexion_loop::{CarryOver, FileCheckpoint, Reflexion, actor_fn, check_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("reflexion-loop-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = FileCheckpoint::new(folder.join("run.json"));

    let attempts = Arc::new(AtomicU32::new(0));
    let network = Arc::new(AtomicBool::new(true));
    let (counted, up) = (Arc::clone(&attempts), Arc::clone(&network));
    let learner = Reflexion::builder()
        .actor(actor_fn(move |_| {
            let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
            // The second attempt fails with a network error.
            let works = number != 2 || !up.swap(false, Ordering::SeqCst);
            async move { if works { Ok(format!("answer {number}")) } else { Err("the network is gone") } }
        }))
        .evaluator(check_fn(|answer: &str| answer == "answer 3"))
        .carry_over(CarryOver::None)
        .checkpoint(file.clone())
        .build()?;

    // The first process: its run fails.
    if let Err(error) = learner.run("Find the third answer").await {
        eprintln!("{error}");
    }

    // A later process: the file has the state of the run.
    let state = file.load()?.ok_or("there is no checkpoint")?;
    eprintln!("resuming {} with {} trial(s) done", state.run_id, state.trials.len());
    let outcome = learner.resume(state).outcome().await?;

    let made = attempts.load(Ordering::SeqCst);
    eprintln!("{:?}: {} ({made} attempts in all)", outcome.stop, outcome.answer().unwrap_or_default());
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
