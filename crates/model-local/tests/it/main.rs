//! The embedder over a real model and a real ONNX Runtime, both as `cargo xtask setup` installs them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod embedding;
mod files;
mod loading;
