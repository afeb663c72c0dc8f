//! How long embedding takes and how much memory it needs: `measure FOLDER LIBRARY [THREADS]`, built with `--release`.

#![expect(clippy::print_stdout, reason = "the numbers are the point")]

use std::time::{Duration, Instant};

use reflect_model::{EmbedPurpose, Embedder};
use reflect_model_local::{LocalEmbedder, LocalModel};

const ROUNDS: usize = 60;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, library, threads @ ..] = arguments.as_slice() else {
        return Err("usage: measure FOLDER LIBRARY [THREADS]".into());
    };
    let mut model = LocalModel::new(folder, library);
    if let [threads] = threads {
        model.threads = threads.parse()?;
    }
    println!("before loading     {}", memory()?);
    let start = Instant::now();
    let embedder = LocalEmbedder::load(&model)?;
    println!("loaded in          {:.0} ms, {}", start.elapsed().as_secs_f64() * 1e3, memory()?);
    let sentence = "The user prefers dark mode in the editor.".to_owned();
    let paragraph = "Deploying the service to staging failed because the database migration timed out. ";
    let batch: Vec<String> = (0..32).map(|n| format!("Case {n}: {paragraph}")).collect();
    for (name, texts) in [
        ("one sentence", vec![sentence]),
        ("one longest text", vec![paragraph.repeat(40)]),
        ("32 sentences", batch),
        ("32 longest texts", vec![paragraph.repeat(40); 32]),
    ] {
        let (best, median) = timed(&embedder, &texts).await?;
        println!("{name:<18} best {:>7.2} ms, median {:>7.2} ms, {}", best * 1e3, median * 1e3, memory()?);
    }
    Ok(())
}

async fn timed(embedder: &LocalEmbedder, texts: &[String]) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    let rounds = (ROUNDS / texts.len()).max(4);
    for _ in 0..rounds {
        let start = Instant::now();
        embedder.embed(texts, EmbedPurpose::Document).await?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok((times[0].as_secs_f64(), times.get(rounds / 2).map_or(0.0, Duration::as_secs_f64)))
}

/// The resident set size.
fn memory() -> std::io::Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("VmRSS: ?");
    let kilobytes: f64 =
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(f64::NAN);
    Ok(format!("{:.0} MB resident", kilobytes / 1024.0))
}
