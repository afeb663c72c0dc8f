//! The options of a shell that decide what an exit code says.

use super::super::shell_line::SimpleCommand;

/// Options that `set` switches on and off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ShellOptions {
    /// The script ends at the first failure.
    pub(super) errexit: bool,
    /// A pipe fails if any of its commands fails.
    pub(super) pipefail: bool,
}

impl ShellOptions {
    /// The options after these commands. The last `set` decides.
    pub(super) fn after(commands: &[SimpleCommand]) -> Self {
        let mut options = Self::default();
        for command in commands.iter().filter(|command| command.words[0] == "set") {
            options.set(&command.words[1..]);
        }
        options
    }

    /// `set -euo pipefail`; with `+` the same options are switched off.
    fn set(&mut self, words: &[String]) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (is_on, letters) = match (word.strip_prefix('-'), word.strip_prefix('+')) {
                (Some(letters), _) if !matches!(letters, "" | "-") => (true, letters),
                (_, Some(letters)) => (false, letters),
                // The arguments of the script.
                _ => return,
            };
            for letter in letters.chars() {
                let option = match letter {
                    'e' => Some("errexit"),
                    'o' => words.next().map(String::as_str),
                    _ => None,
                };
                match option {
                    Some("errexit") => self.errexit = is_on,
                    Some("pipefail") => self.pipefail = is_on,
                    _ => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::shell_line::commands;
    use super::*;

    fn after(line: &str) -> (bool, bool) {
        let options = ShellOptions::after(&commands(line).unwrap());
        (options.errexit, options.pipefail)
    }

    #[test]
    fn the_last_set_decides_and_a_plus_switches_off() {
        for (line, expected) in [
            ("set -e", (true, false)),
            ("set -euo pipefail", (true, true)),
            ("set -o errexit -o pipefail; cd x", (true, true)),
            ("set -eo pipefail; set +e", (false, true)),
            ("set -eo pipefail; set +o pipefail", (true, false)),
            ("set +e; set -e", (true, false)),
            ("set +euo pipefail", (false, false)),
            ("set -- -e", (false, false)),
            ("set pipefail", (false, false)),
            ("set -o", (false, false)),
            ("echo -e", (false, false)),
        ] {
            assert_eq!(after(line), expected, "{line}");
        }
    }
}
