//! Empty. Without a build script, cargo ignores the build dependencies of this package.

fn main() {}
