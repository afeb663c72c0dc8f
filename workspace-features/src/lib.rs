//! No code: the dependencies of this package unite features over the workspace. See `cargo xtask features`.
