//! `cargo xtask setup`: installs what the project needs, by package name, and prints the versions.
//!
//! Each part is built in a sibling folder, renamed when whole and stamped last; a run that was cut short
//! leaves only a sibling, which the next run clears away. How one part is made is its own file's business.
//!
//! `just`, the task runner, is not a part: continuous integration installs its wheel before this runs, and
//! every recipe is one line that can be typed without it.

mod browser;
mod cargo_deny;
mod clients;
mod llama;
mod minilm;
mod onnxruntime;
mod packaging_tools;
mod postgres;
mod pyright;
mod python;
mod python_tools;
mod strace;
mod system;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::cache::{self, Cache, Stamp};

pub(crate) use llama::server_and_model as llama_server_and_model;
pub(crate) use postgres::programs as postgres_programs;

/// Who the parts are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A person who wants to build and run: seconds, not minutes.
    Development,
    /// Who works on the Python SDK: its checkers, and the frameworks that it is tested with.
    Sdk,
    /// Continuous integration, which needs all of it, also what takes minutes to compile.
    ContinuousIntegration,
}

/// Something to install.
#[derive(Clone)]
struct Part {
    name: &'static str,
    /// Package and version; a change makes `setup` install the part anew.
    source: &'static str,
    /// Where it lands, below the cache. Carries the version, so that an upgrade leaves running programs alone.
    folder: &'static str,
    /// A file whose absence shows that the folder was emptied behind the stamp's back.
    key_file: &'static str,
    purpose: Purpose,
    /// What to do when it cannot be installed.
    remedy: &'static str,
    /// Fills an empty folder and says what came out.
    build: fn(&Path) -> Result<String>,
}

const PARTS: [Part; 15] = [
    postgres::PART,
    clients::PRESENT,
    clients::EARLIER,
    clients::OWN,
    onnxruntime::PART,
    minilm::PART,
    llama::SERVER,
    llama::MODEL,
    python_tools::PART,
    pyright::PART,
    cargo_deny::PART,
    browser::PART,
    terminal::PART,
    strace::PART,
    packaging_tools::PART,
];

/// Installs what is missing and prints what is there.
pub(crate) fn install(purpose: Purpose) -> Result<ExitCode> {
    let cache = Cache::locate()?;
    let wanted: Vec<&Part> = PARTS.iter().filter(|part| part.is_for(purpose)).collect();
    install_missing(&cache, &wanted)?;
    println!("cache: {}", cache.root().display());
    for part in wanted {
        let stamp =
            part.present_in(&cache).with_context(|| format!("{} vanished while installing", part.name))?;
        println!("{:<16}{}", part.name, stamp.versions);
    }
    Ok(ExitCode::SUCCESS)
}

/// Where a part lies, for scripts that use it.
pub(crate) fn folder_of(name: &str) -> Result<PathBuf> {
    let Some(part) = PARTS.iter().find(|part| part.name == name) else {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        bail!("there is no part `{name}`; there are {}", names.join(", "));
    };
    part.folder_in(&Cache::locate()?)
}

/// The lock is taken only when there is work: a complete cache answers while another setup is busy.
fn install_missing(cache: &Cache, wanted: &[&Part]) -> Result<()> {
    if wanted.iter().all(|part| part.present_in(cache).is_some()) {
        return Ok(());
    }
    let _lock = cache.lock("setup.lock")?;
    let missing = wanted.iter().filter(|part| part.present_in(cache).is_none());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let started: Vec<_> = missing.map(|part| scope.spawn(|| part.install_into(cache))).collect();
        let finished =
            started.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a part panicked")));
        finished.filter_map(|result| result.flatten().err()).map(|error| format!("{error:#}")).collect()
    });
    if failures.is_empty() { Ok(()) } else { Err(anyhow!(failures.join("\n\n"))) }
}

impl Part {
    fn is_for(&self, purpose: Purpose) -> bool {
        [Purpose::Development, purpose].contains(&self.purpose) || purpose == Purpose::ContinuousIntegration
    }

    fn present_in(&self, cache: &Cache) -> Option<Stamp> {
        let stamp = cache.stamp(self.name)?;
        let whole = stamp.source == self.source && cache.path(self.folder).join(self.key_file).exists();
        whole.then_some(stamp)
    }

    fn folder_in(&self, cache: &Cache) -> Result<PathBuf> {
        if self.present_in(cache).is_none() {
            let option = if self.purpose == Purpose::Sdk { " --sdk" } else { "" };
            let root = cache.root().display();
            bail!("`{}` is not installed in {root}; run `cargo xtask setup{option}`", self.name);
        }
        Ok(cache.path(self.folder))
    }

    fn install_into(&self, cache: &Cache) -> Result<()> {
        let started = Instant::now();
        // Some are made of a hundred packages; the first ones are enough to know which part it is.
        let known_as: String = self.source.chars().take(60).collect();
        println!("{}: installing {known_as}", self.name);
        self.replace(cache).map_err(|error| {
            anyhow!("cannot install the part `{}`: {error:#}\n  what to do: {}", self.name, self.remedy)
        })?;
        println!("{}: installed in {:.1} s", self.name, started.elapsed().as_secs_f64());
        Ok(())
    }

    fn replace(&self, cache: &Cache) -> Result<()> {
        let folder = cache.path(self.folder);
        let partial = PathBuf::from(format!("{}.partial", folder.display()));
        clear(&partial)?;
        cache::create_open_folder(&partial)?;
        let versions = (self.build)(&partial)?;
        cache.remove_stamp(self.name)?;
        clear(&folder)?;
        std::fs::rename(&partial, &folder).with_context(|| format!("cannot create {}", folder.display()))?;
        cache.write_stamp(self.name, &Stamp { source: self.source.to_owned(), versions })
    }
}

fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::temporary_folder::TemporaryFolder;

    const GREETING: Part = Part {
        name: "greeting",
        source: "greeting==1",
        folder: "greetings/1",
        key_file: "hello",
        purpose: Purpose::Development,
        remedy: "learn to greet",
        build: |folder| {
            fs::write(folder.join("hello"), "hello")?;
            Ok("greeting 1".to_owned())
        },
    };
    const BROKEN: Part = Part {
        name: "broken",
        folder: "broken",
        build: |folder| {
            fs::write(folder.join("half"), "half")?;
            anyhow::bail!("the index is away")
        },
        ..GREETING
    };

    #[test]
    fn a_part_is_installed_whole_and_stamped() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());

        install_missing(&cache, &[&GREETING]).unwrap();

        assert_eq!(fs::read_to_string(folder.path().join("greetings/1/hello")).unwrap(), "hello");
        assert_eq!(GREETING.present_in(&cache).unwrap().versions, "greeting 1");
    }

    #[test]
    fn a_failing_part_leaves_no_stamp_says_what_to_do_and_does_not_stop_the_others() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());

        let error = install_missing(&cache, &[&BROKEN, &GREETING]).unwrap_err().to_string();

        assert!(error.contains("`broken`: the index is away"), "{error}");
        assert!(error.contains("what to do: learn to greet"), "{error}");
        assert!(BROKEN.present_in(&cache).is_none() && !folder.path().join("broken").exists());
        assert!(GREETING.present_in(&cache).is_some());
    }

    #[test]
    fn the_remains_of_an_attempt_cut_short_are_cleared() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());
        fs::create_dir_all(folder.path().join("greetings/1.partial/remains")).unwrap();

        install_missing(&cache, &[&GREETING]).unwrap();

        assert!(!folder.path().join("greetings/1.partial").exists());
        assert!(!folder.path().join("greetings/1/remains").exists());
    }

    #[test]
    fn the_folder_of_a_part_is_told_once_it_is_whole() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());

        let error = GREETING.folder_in(&cache).unwrap_err().to_string();
        assert!(error.starts_with("`greeting` is not installed"), "{error}");
        install_missing(&cache, &[&GREETING]).unwrap();
        assert_eq!(GREETING.folder_in(&cache).unwrap(), folder.path().join("greetings/1"));
        assert!(folder_of("greetings").unwrap_err().to_string().contains("postgres, client-0.3.3"));
    }

    #[test]
    fn another_version_or_a_missing_file_makes_a_part_absent() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());
        install_missing(&cache, &[&GREETING]).unwrap();

        let newer = Part { source: "greeting==2", ..GREETING };
        assert!(newer.present_in(&cache).is_none());

        fs::remove_file(folder.path().join("greetings/1/hello")).unwrap();
        assert!(GREETING.present_in(&cache).is_none());
    }

    #[test]
    fn tools_for_continuous_integration_are_left_out_of_a_newcomers_setup() {
        let names = |purpose| {
            let wanted = PARTS.iter().filter(|part| part.is_for(purpose));
            wanted.map(|part| part.name).collect::<Vec<_>>()
        };

        let clients = ["client-0.3.3", "client-0.2.0", "client-own"];
        let models = ["onnxruntime", "minilm", "llama-server", "smollm2"];
        let newcomers = [&["postgres"][..], &clients, &models].concat();
        let sdk = ["python-tools", "pyright"];
        assert_eq!(names(Purpose::Development), newcomers);
        assert_eq!(names(Purpose::Sdk), [&newcomers[..], &sdk].concat());
        let gate = ["cargo-deny", "browser", "terminal", "strace", "packaging-tools"];
        assert_eq!(names(Purpose::ContinuousIntegration), [&newcomers[..], &sdk, &gate].concat());
    }
}
