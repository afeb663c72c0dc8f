//! The fault test of learning. The library has it, because other tests use its audit.

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    Box::pin(reflect_soak::run()).await
}
