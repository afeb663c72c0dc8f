//! The embedder over a real model and a real ONNX Runtime, both as `cargo xtask setup` installs them.

mod embedding;
mod files;
mod loading;
