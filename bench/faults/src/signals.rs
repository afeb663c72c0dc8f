//! Signals to other processes.

use std::process::Stdio;

use anyhow::ensure;
use tokio::process::Command;

/// Sends a signal with a shell, because the standard library has no safe call for it.
pub(crate) async fn send_signal(process: u32, name: &str) -> anyhow::Result<()> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("kill -{name} {process}")).stderr(Stdio::null());
    let status = shell.status().await?;
    ensure!(status.success(), "SIG{name} could not be sent to process {process}");
    Ok(())
}
