//! Model providers as values of settings, and their keys in the environment. All come from `ProviderKind::ALL`, so a new
//! provider needs no change here.

use std::convert::Infallible;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use reflect_model_providers::ProviderKind;
use secrecy::{ExposeSecret, SecretString};

/// A provider as the value of a setting.
pub(crate) fn possible_value(kind: ProviderKind) -> PossibleValue {
    PossibleValue::new(kind.as_str()).help(kind.title())
}

/// Reads the name of a provider.
pub(crate) fn provider_parser() -> impl TypedValueParser<Value = ProviderKind> {
    let names = PossibleValuesParser::new(ProviderKind::ALL.map(possible_value));
    names.try_map(|name: String| name.parse::<ProviderKind>())
}

/// The keys of providers, from the variables that the providers' own programs read. The flags exist only for tests.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProviderKeys(Vec<(ProviderKind, SecretString)>);

impl ProviderKeys {
    /// The key of a provider, and the variable that it comes from. An empty variable counts as absent.
    pub(crate) fn get(&self, kind: ProviderKind) -> Option<(&'static str, SecretString)> {
        let (_, key) = self.0.iter().find(|(known, _)| *known == kind)?;
        Some((kind.key_variable()?, key.clone()))
    }
}

impl Args for ProviderKeys {
    fn augment_args(command: Command) -> Command {
        variables().fold(command, |command, (_, variable)| {
            let flag = leak(variable.to_lowercase().replace('_', "-"));
            let argument = Arg::new(variable).long(flag).env(variable).value_parser(perhaps_empty);
            command.arg(argument.hide(true).hide_env_values(true))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ProviderKeys {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let keys = variables().filter_map(|(kind, variable)| {
            let key = matches.get_one::<SecretString>(variable).cloned();
            Some((kind, present(key)?))
        });
        Ok(Self(keys.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn variables() -> impl Iterator<Item = (ProviderKind, &'static str)> {
    ProviderKind::ALL.into_iter().filter_map(|kind| Some((kind, kind.key_variable()?)))
}

/// Reads a key that may be empty.
#[expect(clippy::unnecessary_wraps, reason = "required by clap")]
pub(crate) fn perhaps_empty(text: &str) -> Result<SecretString, Infallible> {
    Ok(text.to_owned().into())
}

/// The key, unless it is empty.
pub(crate) fn present(key: Option<SecretString>) -> Option<SecretString> {
    key.filter(|key| !key.expose_secret().trim().is_empty())
}

/// clap needs static names. There are only a few of them.
pub(super) fn leak(name: String) -> &'static str {
    Box::leak(name.into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> ProviderKeys {
        let command = ProviderKeys::augment_args(Command::new("test")).mut_args(|arg| arg.env(None::<&str>));
        ProviderKeys::from_arg_matches(&command.try_get_matches_from(arguments).unwrap()).unwrap()
    }

    #[test]
    fn an_empty_variable_counts_as_absent() {
        let keys = read(&["test", "--openai-api-key", "", "--gemini-api-key", "g"]);

        assert!(keys.get(ProviderKind::OpenAi).is_none());
        assert_eq!(keys.get(ProviderKind::Gemini).unwrap().0, "GEMINI_API_KEY");
    }

    #[test]
    fn every_provider_is_a_value_in_any_case() {
        let command = Command::new("test")
            .arg(Arg::new("provider").long("provider").ignore_case(true).value_parser(provider_parser()));
        for kind in ProviderKind::ALL {
            for name in [kind.as_str().to_owned(), kind.as_str().to_uppercase()] {
                let matches = command.clone().try_get_matches_from(["test", "--provider", &name]).unwrap();
                assert_eq!(matches.get_one::<ProviderKind>("provider"), Some(&kind));
            }
        }
        let error = command.try_get_matches_from(["test", "--provider", "gpt"]).unwrap_err().to_string();
        assert!(error.contains("anthropic"), "{error}");
    }
}
