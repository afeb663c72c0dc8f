//! Rebuilds this crate when the console was built again, because the names of its files change. Downloads nothing.

use std::path::Path;

fn main() {
    let built = "../../console/app/dist";
    println!("cargo::rerun-if-changed=build.rs");
    // If the folder did not exist, cargo would rebuild this crate every time.
    if Path::new(built).exists() {
        println!("cargo::rerun-if-changed={built}");
    }
}
