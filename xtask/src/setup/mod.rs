//! `cargo xtask setup`: installs what the project needs, by package name, and prints the versions.
//!
//! Each part is built in a temporary folder, renamed when complete, and stamped last. An interrupted run leaves only
//! the temporary folder, which the next run removes. Each part has its own file.
//!
//! `just`, the task runner, is not a part: continuous integration installs its wheel first, and every recipe is one
//! line that can be run without it.

mod audit_tools;
mod browser;
mod cargo_deny;
mod clients;
mod failover_tools;
mod faketime;
mod frameworks;
mod image_tools;
mod llama;
mod minilm;
mod onnxruntime;
mod otlp_senders;
mod packaging_tools;
mod pgbouncer;
mod postgres;
mod pyright;
mod python;
mod python_tools;
mod schemathesis;
mod strace;
mod system;
mod tau2;
mod terminal;
mod valgrind;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use crate::cache::{self, Cache, Stamp};

pub(crate) use llama::server_and_model as llama_server_and_model;
pub(crate) use postgres::programs as postgres_programs;

/// The purpose of the parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Building and running: takes seconds.
    Development,
    /// Work on the Python SDK: its checkers, and the frameworks that it is tested with.
    Sdk,
    /// Real agents of the frameworks that the Python SDK has adapters for. Takes minutes, and gigabytes on disk.
    Frameworks,
    /// Continuous integration: everything, including parts that take minutes to compile.
    ContinuousIntegration,
}

/// A part to install.
#[derive(Clone)]
struct Part {
    name: &'static str,
    /// Package and version. If they change, `setup` installs the part again.
    source: &'static str,
    /// Its folder in the cache. The name has the version, so that an upgrade does not affect running programs.
    folder: &'static str,
    /// A file that must exist. If it is missing, the part is installed again.
    key_file: &'static str,
    purpose: Purpose,
    /// How to fix an installation error.
    remedy: &'static str,
    /// Fills an empty folder and returns what was installed.
    build: fn(&Path) -> Result<String>,
}

const PARTS: [Part; 24] = [
    postgres::PART,
    clients::PRESENT,
    clients::EARLIER,
    clients::OWN,
    onnxruntime::PART,
    minilm::PART,
    llama::SERVER,
    llama::MODEL,
    tau2::PART,
    python_tools::PART,
    pyright::PART,
    cargo_deny::PART,
    browser::PART,
    terminal::PART,
    strace::PART,
    faketime::PART,
    pgbouncer::PART,
    packaging_tools::PART,
    audit_tools::PART,
    schemathesis::PART,
    valgrind::PART,
    image_tools::PART,
    otlp_senders::PART,
    failover_tools::PART,
];

/// All parts, the large ones last.
fn parts() -> impl Iterator<Item = &'static Part> {
    PARTS.iter().chain(&frameworks::PARTS)
}

/// Installs missing parts and prints all parts.
pub(crate) fn install(purpose: Purpose) -> Result<ExitCode> {
    let cache = Cache::locate()?;
    let wanted: Vec<&Part> = parts().filter(|part| part.is_for(purpose)).collect();
    install_missing(&cache, &wanted)?;
    println!("cache: {}", cache.root().display());
    for part in wanted {
        let stamp =
            part.present_in(&cache).with_context(|| format!("{} vanished while installing", part.name))?;
        println!("{:<27}{}", part.name, stamp.versions);
    }
    Ok(ExitCode::SUCCESS)
}

/// The folder of a part, for scripts.
pub(crate) fn folder_of(name: &str) -> Result<PathBuf> {
    let Some(part) = parts().find(|part| part.name == name) else {
        let names: Vec<&str> = parts().map(|part| part.name).collect();
        bail!("there is no part `{name}`; there are {}", names.join(", "));
    };
    part.folder_in(&Cache::locate()?)
}

/// Takes the lock only if a part is missing, so a complete cache does not wait for another setup.
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
        let whole =
            stamp.source == self.source_line() && cache.path(self.folder).join(self.key_file).exists();
        whole.then_some(stamp)
    }

    /// The source in one line, as in its stamp. Some sources are lists with one package per line.
    fn source_line(&self) -> String {
        self.source.lines().collect::<Vec<_>>().join(" ")
    }

    fn folder_in(&self, cache: &Cache) -> Result<PathBuf> {
        if self.present_in(cache).is_none() {
            let option = match self.purpose {
                Purpose::Sdk => " --sdk",
                Purpose::Frameworks => " --frameworks",
                Purpose::Development | Purpose::ContinuousIntegration => "",
            };
            let root = cache.root().display();
            bail!("`{}` is not installed in {root}; run `cargo xtask setup{option}`", self.name);
        }
        Ok(cache.path(self.folder))
    }

    fn install_into(&self, cache: &Cache) -> Result<()> {
        let started = Instant::now();
        // Some parts have a hundred packages. The first ones identify the part.
        let known_as: String = self.source_line().chars().take(60).collect();
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
        cache.write_stamp(self.name, &Stamp { source: self.source_line(), versions })
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
    fn a_part_is_installed_and_stamped() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());

        install_missing(&cache, &[&GREETING]).unwrap();

        assert_eq!(fs::read_to_string(folder.path().join("greetings/1/hello")).unwrap(), "hello");
        assert_eq!(GREETING.present_in(&cache).unwrap().versions, "greeting 1");
    }

    #[test]
    fn a_failing_part_leaves_no_stamp_and_does_not_stop_the_others() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());

        let error = install_missing(&cache, &[&BROKEN, &GREETING]).unwrap_err().to_string();

        assert!(error.contains("`broken`: the index is away"), "{error}");
        assert!(error.contains("what to do: learn to greet"), "{error}");
        assert!(BROKEN.present_in(&cache).is_none() && !folder.path().join("broken").exists());
        assert!(GREETING.present_in(&cache).is_some());
    }

    #[test]
    fn files_of_an_interrupted_attempt_are_removed() {
        let folder = TemporaryFolder::create();
        let cache = Cache::at(folder.path());
        fs::create_dir_all(folder.path().join("greetings/1.partial/remains")).unwrap();

        install_missing(&cache, &[&GREETING]).unwrap();

        assert!(!folder.path().join("greetings/1.partial").exists());
        assert!(!folder.path().join("greetings/1/remains").exists());
    }

    #[test]
    fn the_folder_of_a_part_is_returned_when_it_is_complete() {
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
    fn tools_for_continuous_integration_are_left_out_of_a_development_setup() {
        let names = |purpose| {
            let wanted = parts().filter(|part| part.is_for(purpose));
            wanted.map(|part| part.name).collect::<Vec<_>>()
        };

        let clients = ["client-0.3.3", "client-0.2.0", "client-own"];
        let models = ["onnxruntime", "minilm", "llama-server", "smollm2"];
        let development = [&["postgres"][..], &clients, &models, &["tau2"]].concat();
        let sdk = ["python-tools", "pyright"];
        assert_eq!(names(Purpose::Development), development);
        assert_eq!(names(Purpose::Sdk), [&development[..], &sdk].concat());
        let gate = [
            "cargo-deny",
            "browser",
            "terminal",
            "strace",
            "faketime",
            "pgbouncer",
            "packaging-tools",
            "audit-tools",
            "schemathesis",
            "valgrind",
            "image-tools",
            "otlp-senders",
            "failover-tools",
        ];
        let frameworks = frameworks::PARTS.map(|part| part.name);
        assert_eq!(names(Purpose::Frameworks), [&development[..], &frameworks].concat());
        let everything = [&development[..], &sdk, &gate, &frameworks].concat();
        assert_eq!(names(Purpose::ContinuousIntegration), everything);
    }
}
