//! One target: kept inputs, generated inputs, and what must hold for each of them.

#![expect(clippy::print_stdout, reason = "the program `fuzz` reads these lines")]

use std::time::{Duration, Instant};

use crate::CaseSource;
use crate::corpus::{self, Kept, digest};
use crate::settings::Settings;
use crate::watchdog::Watchdog;
use crate::{cpu_time, panics, shrink};

/// The CPU time of one case, unless the target says otherwise. Inputs have at most some hundred kilobytes.
const USUAL_LIMIT: Duration = Duration::from_millis(500);
/// Out of this many cases, one changes a kept input.
const CHANGED: usize = 3;
/// How much of an input is printed.
const MOST_PRINTED: usize = 2_000;

/// A parser and how to test it.
#[derive(Debug, Clone)]
pub struct FuzzTarget {
    name: &'static str,
    words: &'static [&'static str],
    limit: Duration,
    mutants: Vec<(&'static str, fn())>,
}

impl FuzzTarget {
    /// A target. Its name is the name of its folder in the corpus.
    pub const fn new(name: &'static str) -> Self {
        Self { name, words: &[], limit: USUAL_LIMIT, mutants: Vec::new() }
    }

    /// Words that the parser knows.
    #[must_use]
    pub fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    /// The largest CPU time of one case in a debug build.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// A defect that this target must find, and how to switch it on for the whole process.
    #[must_use]
    pub fn mutant(mut self, name: &'static str, switch_on: fn()) -> Self {
        self.mutants.push((name, switch_on));
        self
    }

    /// Checks the kept inputs and generated ones. Panics if a check panics or takes too long.
    pub fn run<I: Into<Vec<u8>>>(&self, generate: impl Fn(&mut CaseSource<'_>) -> I, check: impl Fn(&[u8])) {
        let settings = Settings::read();
        let kept = corpus::read(self.name);
        let run =
            Run { target: self, settings: &settings, kept: &kept, watchdog: Watchdog::start(self.name) };
        let Some(wanted) = &settings.mutant else { return run.product(generate, check) };
        // Other targets of this program do not have it.
        if let Some((name, switch_on)) = self.mutants.iter().find(|(name, _)| name == wanted) {
            switch_on();
            run.mutant(name, generate, check);
        }
    }
}

struct Run<'a> {
    target: &'a FuzzTarget,
    settings: &'a Settings,
    kept: &'a [Kept],
    watchdog: Watchdog,
}

impl Run<'_> {
    fn product<I: Into<Vec<u8>>>(&self, generate: impl Fn(&mut CaseSource<'_>) -> I, check: impl Fn(&[u8])) {
        let (name, seed, start) = (self.target.name, self.settings.seed, Instant::now());
        for Kept { file, input } in self.kept {
            if let Err(problem) = self.try_one(input, &check) {
                panic!("fuzz target {name}: the kept input {file} fails: {problem}\n{}", printed(input));
            }
        }
        let inputs: Vec<Vec<u8>> = self.kept.iter().map(|kept| kept.input.clone()).collect();
        for case in self.settings.cases.clone() {
            let input = self.input(case, &inputs, &generate);
            if let Err(problem) = self.try_one(&input, &check) {
                let input = shrink::smaller(input, |input| self.try_one(input, &check).is_err());
                let problem = self.try_one(&input, &check).err().unwrap_or(problem);
                let file = corpus::add(name, &input);
                let file = file.map_or_else(|error| error.to_string(), |path| path.display().to_string());
                panic!(
                    "fuzz target {name}: {problem}\ninput: {}\nkept in: {file}\nrepeat with REFLECT_FUZZ_SEED={seed} \
                     REFLECT_FUZZ_CASE={case}",
                    printed(&input)
                );
            }
        }
        let mutants: Vec<&str> = self.target.mutants.iter().map(|(mutant, _)| *mutant).collect();
        println!(
            "fuzz target {name}: {} cases, {} kept, seed {seed}, {:.1} s, mutants [{}]",
            self.settings.cases.end - self.settings.cases.start,
            self.kept.len(),
            start.elapsed().as_secs_f64(),
            mutants.join(" ")
        );
    }

    fn mutant<I: Into<Vec<u8>>>(
        &self,
        mutant: &str,
        generate: impl Fn(&mut CaseSource<'_>) -> I,
        check: impl Fn(&[u8]),
    ) {
        let name = self.target.name;
        let inputs: Vec<Vec<u8>> = self.kept.iter().map(|kept| kept.input.clone()).collect();
        for input in &inputs {
            if let Err(problem) = self.try_one(input, &check) {
                println!(
                    "fuzz mutant {mutant}: caught by {name} with a kept input: {}",
                    first_line(&problem)
                );
                return;
            }
        }
        for case in self.settings.cases.clone() {
            if let Err(problem) = self.try_one(&self.input(case, &inputs, &generate), &check) {
                println!("fuzz mutant {mutant}: caught by {name} in case {case}: {}", first_line(&problem));
                return;
            }
        }
        panic!("fuzz mutant {mutant}: not caught by {name}");
    }

    fn input<I: Into<Vec<u8>>>(
        &self,
        case: u64,
        kept: &[Vec<u8>],
        generate: impl Fn(&mut CaseSource<'_>) -> I,
    ) -> Vec<u8> {
        // Far apart for neighbouring cases and seeds.
        let seed = digest(&[self.settings.seed.to_le_bytes(), case.to_le_bytes()].concat());
        let mut source = CaseSource::new(seed ^ digest(self.target.name.as_bytes()), self.target.words);
        match !kept.is_empty() && source.once_in(CHANGED) {
            true => source.changed(kept),
            false => generate(&mut source).into(),
        }
    }

    /// Checks one input, and what it costs.
    fn try_one(&self, input: &[u8], check: &impl Fn(&[u8])) -> Result<(), String> {
        self.watchdog.begin(input);
        let start = Instant::now();
        panics::caught(|| check(input))?;
        if start.elapsed() < self.target.limit {
            return Ok(());
        }
        // The machine may be busy: measured again, without the time of other threads.
        let costs = (0..3).map(|_| {
            self.watchdog.begin(input);
            let before = cpu_time::used();
            let _ = panics::caught(|| check(input));
            cpu_time::used().saturating_sub(before)
        });
        match costs.min() {
            Some(least) if least > self.target.limit => Err(format!(
                "takes {least:?} for {} bytes, at most {:?} are allowed",
                input.len(),
                self.target.limit
            )),
            _ => Ok(()),
        }
    }
}

fn printed(input: &[u8]) -> String {
    let shown = &input[..input.len().min(MOST_PRINTED)];
    let more =
        if shown.len() < input.len() { format!("… of {} bytes", input.len()) } else { String::new() };
    match str::from_utf8(shown) {
        Ok(text) => format!("{text:?}{more}"),
        Err(_) => format!("b\"{}\"{more}", shown.escape_ascii()),
    }
}

fn first_line(text: &str) -> &str {
    // A panic begins with its place, and the message follows.
    text.lines().nth(1).or_else(|| text.lines().next()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mutant: Option<&str>) -> Settings {
        Settings { cases: 0..500, seed: 1, mutant: mutant.map(str::to_owned) }
    }

    fn outcome(settings: &Settings, run: impl Fn(&Run<'_>)) -> Result<(), String> {
        let target = FuzzTarget::new("of-its-own-tests").words(&["boom"]).limit(Duration::from_millis(5));
        let watchdog = Watchdog::start(target.name);
        let of_run = Run { target: &target, settings, kept: &[], watchdog };
        panics::caught(|| run(&of_run))
    }

    #[test]
    fn a_mutant_that_fails_is_caught_and_one_that_does_not_is_an_error() {
        let settings = settings(Some("m"));
        let text = |source: &mut CaseSource<'_>| source.text(5);

        let caught = outcome(&settings, |run| {
            run.mutant("m", text, |input| assert!(!input.starts_with(b"boom")));
        });
        let missed = outcome(&settings, |run| run.mutant("m", text, |_| ()));

        assert_eq!(caught, Ok(()));
        assert!(missed.is_err_and(|problem| problem.contains("not caught")));
    }

    #[test]
    fn the_same_seed_and_case_give_the_same_input() {
        let settings = settings(None);
        let text = |source: &mut CaseSource<'_>| source.text(20);

        let run = outcome(&settings, |run| {
            let kept = [b"kept".to_vec()];
            for case in 0..20 {
                assert_eq!(run.input(case, &kept, text), run.input(case, &kept, text));
            }
            assert_ne!(run.input(1, &[], text), run.input(2, &[], text));
        });

        assert_eq!(run, Ok(()));
    }

    #[test]
    fn a_case_that_takes_too_long_fails() {
        let settings = settings(None);

        let run = outcome(&settings, |run| {
            let busy = |_: &[u8]| {
                let start = cpu_time::used();
                while cpu_time::used() - start < Duration::from_millis(20) {}
            };
            let problem = run.try_one(b"x", &busy).expect_err("too slow");
            assert!(problem.contains("for 1 bytes"), "{problem}");
        });

        assert_eq!(run, Ok(()));
    }
}
