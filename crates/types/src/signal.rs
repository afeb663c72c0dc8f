//! Signals: outcomes of runs that other systems report, the keys by which they find runs, and the rules of a project.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

use crate::ReviewResult;
use crate::outcome::{UnknownWord, words};

/// The longest name of a source or of a key.
const LONGEST_NAME: usize = 40;

/// Why a text is not the name of a source or of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 40 of the characters a-z, 0-9, `_`, `-` and `.`, and begin with a letter")]
pub struct InvalidName;

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '.');
    text.len() <= LONGEST_NAME
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(is_part)
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "openapi", schema(value_type = String, min_length = 1, max_length = 40))]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;
            fn try_from(text: String) -> Result<Self, InvalidName> {
                if is_name(&text) { Ok(Self(text)) } else { Err(InvalidName) }
            }
        }

        impl FromStr for $name {
            type Err = InvalidName;
            fn from_str(text: &str) -> Result<Self, InvalidName> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

names! {
    /// The system that a signal comes from: `ci`, `tests`, `user`, `ticket`, `merge`, `evaluation`, or another name.
    ///
    /// ```
    /// use reflect_types::SignalSource;
    ///
    /// assert!("nightly-build".parse::<SignalSource>().is_ok());
    /// assert!("Nightly build".parse::<SignalSource>().is_err());
    /// ```
    SignalSource,
    /// The name of a key that a run declares: `session`, `conversation`, `commit`, `pull_request`, `ticket`, or another
    /// name.
    RunKeyName,
}

impl SignalSource {
    /// The sources with rules of their own, in the order of their precedence.
    pub const KNOWN: [&'static str; 6] = ["merge", "ticket", "user", "tests", "ci", "evaluation"];

    /// Continuous integration.
    pub fn ci() -> Self {
        Self("ci".to_owned())
    }

    /// Tests that the agent or its user ran.
    pub fn tests() -> Self {
        Self("tests".to_owned())
    }

    /// Votes of the agent's users.
    pub fn user() -> Self {
        Self("user".to_owned())
    }

    /// Tickets: closed and reopened.
    pub fn ticket() -> Self {
        Self("ticket".to_owned())
    }

    /// Changes: merged and reverted.
    pub fn merge() -> Self {
        Self("merge".to_owned())
    }

    /// Results of an evaluation.
    pub fn evaluation() -> Self {
        Self("evaluation".to_owned())
    }

    /// The name in metrics: one of a closed set.
    pub fn metric_label(&self) -> &'static str {
        Self::KNOWN.into_iter().find(|known| *known == self.0).unwrap_or("other")
    }
}

impl RunKeyName {
    /// The session of the agent.
    pub fn session() -> Self {
        Self("session".to_owned())
    }

    /// The conversation with a user.
    pub fn conversation() -> Self {
        Self("conversation".to_owned())
    }

    /// The trace id of OpenTelemetry.
    pub fn otel_trace_id() -> Self {
        Self("otel_trace_id".to_owned())
    }

    /// The commit that the run produced.
    pub fn commit() -> Self {
        Self("commit".to_owned())
    }

    /// The pull request that the run produced.
    pub fn pull_request() -> Self {
        Self("pull_request".to_owned())
    }

    /// The ticket that the run worked on.
    pub fn ticket() -> Self {
        Self("ticket".to_owned())
    }
}

words! {
    /// Which runs a key of a signal means, if several runs declare it.
    SignalMatching as "matching", expected "latest, all or only" {
        /// The latest run that began before the time of the signal.
        Latest = 1: "latest",
        /// Every run that began in the 30 days before.
        All = 2: "all",
        /// The run, if there is only one. Otherwise none.
        Only = 3: "only",
    }
}

/// The outcome that a signal reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SignalReport {
    /// A pass or a fail.
    Outcome(ReviewResult),
    /// A score from 0 to 1. The thresholds of the source make a result of it.
    Score(f64),
}

/// How a project treats the signals of one source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SourceRule {
    /// Whether its signals become reviews.
    pub counts: bool,
    /// A score of at least this is a pass.
    pub pass_from: f64,
    /// A score below this is a fail. Scores between the two are no result.
    pub fail_below: f64,
    /// How many seconds a pass waits for a signal that contradicts it, from the time of the signal.
    pub wait_pass_seconds: u64,
    /// The same for a fail.
    pub wait_fail_seconds: u64,
    /// If sources contradict each other, the one with the higher precedence wins, and of equal ones the later signal.
    pub precedence: u8,
}

impl SourceRule {
    /// The rule of a source for which a project sets nothing.
    pub fn usual(source: &SignalSource) -> Self {
        const HOUR: u64 = 60 * 60;
        let (wait_pass_seconds, precedence) = match source.as_str() {
            // A change that is wrong is mostly reverted within three days.
            "merge" => (72 * HOUR, 50),
            // A customer who is not satisfied opens the ticket again.
            "ticket" => (24 * HOUR, 40),
            "user" => (0, 30),
            "ci" | "tests" => (0, 20),
            _ => (0, 10),
        };
        Self {
            counts: true,
            pass_from: 0.7,
            fail_below: 0.3,
            wait_pass_seconds,
            wait_fail_seconds: 0,
            precedence,
        }
    }

    /// The result that a report means under this rule. `None` for a score between the thresholds.
    pub fn result(&self, report: SignalReport) -> Option<ReviewResult> {
        match report {
            SignalReport::Outcome(result) => Some(result),
            SignalReport::Score(score) if score >= self.pass_from => Some(ReviewResult::Pass),
            SignalReport::Score(score) if score < self.fail_below => Some(ReviewResult::Fail),
            SignalReport::Score(_) => None,
        }
    }

    /// How many seconds a result waits for a contradicting signal.
    pub const fn wait_seconds(&self, result: ReviewResult) -> u64 {
        match result {
            ReviewResult::Pass => self.wait_pass_seconds,
            ReviewResult::Fail => self.wait_fail_seconds,
        }
    }
}

/// What a project sets for one source. Absent fields keep the usual rule of the source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SourceSettings {
    /// Whether its signals become reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<bool>,
    /// A score of at least this is a pass, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_from: Option<f64>,
    /// A score below this is a fail, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_below: Option<f64>,
    /// How many seconds a pass waits for a signal that contradicts it. At most 30 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_pass_seconds: Option<u64>,
    /// The same for a fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_fail_seconds: Option<u64>,
    /// The precedence, 0 to 100: the higher one wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precedence: Option<u8>,
}

impl SourceSettings {
    /// The settings after a change.
    fn changed_by(self, change: Self) -> Self {
        Self {
            counts: change.counts.or(self.counts),
            pass_from: change.pass_from.or(self.pass_from),
            fail_below: change.fail_below.or(self.fail_below),
            wait_pass_seconds: change.wait_pass_seconds.or(self.wait_pass_seconds),
            wait_fail_seconds: change.wait_fail_seconds.or(self.wait_fail_seconds),
            precedence: change.precedence.or(self.precedence),
        }
    }

    fn over(self, usual: SourceRule) -> SourceRule {
        SourceRule {
            counts: self.counts.unwrap_or(usual.counts),
            pass_from: self.pass_from.unwrap_or(usual.pass_from),
            fail_below: self.fail_below.unwrap_or(usual.fail_below),
            wait_pass_seconds: self.wait_pass_seconds.unwrap_or(usual.wait_pass_seconds),
            wait_fail_seconds: self.wait_fail_seconds.unwrap_or(usual.wait_fail_seconds),
            precedence: self.precedence.unwrap_or(usual.precedence),
        }
    }
}

/// How a project turns signals into reviews.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProjectSignals))]
#[serde(default)]
pub struct SignalSettings {
    /// The share of runs whose signals are withheld from reviewers and become no review, to measure each source against
    /// people.
    pub blind_share: f64,
    /// Which runs a key means, if several runs declare it: `latest`, `all` or `only`.
    pub matching: SignalMatching,
    /// The sources for which the project sets something.
    #[cfg_attr(feature = "openapi", schema(value_type = std::collections::BTreeMap<String, SourceSettings>))]
    pub sources: BTreeMap<SignalSource, SourceSettings>,
}

impl Default for SignalSettings {
    fn default() -> Self {
        // The same share as for a judge: enough to measure a source, while most of its signals count.
        Self { blind_share: 0.2, matching: SignalMatching::Latest, sources: BTreeMap::new() }
    }
}

impl SignalSettings {
    /// The rule of a source.
    pub fn rule(&self, source: &SignalSource) -> SourceRule {
        let set = self.sources.get(source).copied().unwrap_or_default();
        set.over(SourceRule::usual(source))
    }

    /// The known sources and those with settings, highest precedence first.
    pub fn rules(&self) -> Vec<(SignalSource, SourceRule)> {
        let known = SignalSource::KNOWN.iter().filter_map(|name| name.parse().ok());
        let mut sources: Vec<SignalSource> = known.collect();
        sources.extend(
            self.sources.keys().filter(|name| !SignalSource::KNOWN.contains(&name.as_str())).cloned(),
        );
        let mut rules: Vec<_> = sources.into_iter().map(|source| (self.rule(&source), source)).collect();
        rules.sort_by_key(|(rule, _)| std::cmp::Reverse(rule.precedence));
        rules.into_iter().map(|(rule, source)| (source, rule)).collect()
    }
}

/// Changes how a project turns signals into reviews. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeSignals {
    /// The share of runs whose signals are withheld from reviewers, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blind_share: Option<f64>,
    /// Which runs a key means: `latest`, `all` or `only`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matching: Option<SignalMatching>,
    /// The sources to change. Null removes what the project set for a source.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "sources")]
    #[cfg_attr(feature = "openapi", schema(schema_with = described_sources))]
    pub sources: Option<BTreeMap<SignalSource, Option<SourceSettings>>>,
}

/// The derived description cannot say that a value of a map may be null.
#[cfg(feature = "openapi")]
fn described_sources() -> utoipa::openapi::Schema {
    use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, SchemaType, Type};
    use utoipa::openapi::{Ref, Schema};
    let null = ObjectBuilder::new().schema_type(Type::Null);
    let settings_or_null = OneOfBuilder::new().item(null).item(Ref::from_schema_name("SourceSettings"));
    let object_or_null = SchemaType::from_iter([Type::Object, Type::Null]);
    ObjectBuilder::new()
        .schema_type(object_or_null)
        .description(Some("The sources to change. Null removes what the project set for a source."))
        .additional_properties(Some(Schema::OneOf(settings_or_null.build())))
        .build()
        .into()
}

/// Names the source whose name or settings are not valid.
fn sources<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<BTreeMap<SignalSource, Option<SourceSettings>>>, D::Error> {
    use serde::de::Error;
    let Some(sent) = Option::<BTreeMap<String, Option<SourceSettings>>>::deserialize(from)? else {
        return Ok(None);
    };
    let named = sent.into_iter().map(|(name, change)| match name.parse() {
        Ok(source) => Ok((source, change)),
        Err(error) => {
            let name: String = name.chars().take(LONGEST_NAME).collect();
            Err(D::Error::custom(format!("the source \"{name}\" {error}")))
        }
    });
    named.collect::<Result<_, _>>().map(Some)
}

impl ChangeSignals {
    /// The settings after the change.
    pub fn apply(self, mut before: SignalSettings) -> SignalSettings {
        for (source, change) in self.sources.unwrap_or_default() {
            match change {
                None => {
                    before.sources.remove(&source);
                }
                Some(change) => {
                    let set = before.sources.entry(source).or_default();
                    *set = set.changed_by(change);
                }
            }
        }
        SignalSettings {
            blind_share: self.blind_share.unwrap_or(before.blind_share),
            matching: self.matching.unwrap_or(before.matching),
            sources: before.sources,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn source(name: &str) -> SignalSource {
        name.parse().unwrap()
    }

    #[test]
    fn names_have_few_characters() {
        for good in ["ci", "nightly-build", "a.b_c-1", &"x".repeat(40)] {
            assert!(good.parse::<SignalSource>().is_ok(), "{good}");
        }
        for bad in ["", "CI", "1st", "a b", "a:b", "é", &"x".repeat(41)] {
            assert!(bad.parse::<RunKeyName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_score_between_the_thresholds_is_no_result() {
        let rule = SourceRule::usual(&source("evaluation"));
        let result = |score| rule.result(SignalReport::Score(score));
        assert_eq!((result(0.7), result(1.0)), (Some(ReviewResult::Pass), Some(ReviewResult::Pass)));
        assert_eq!((result(0.5), result(0.3)), (None, None));
        assert_eq!(result(0.29), Some(ReviewResult::Fail));
    }

    #[test]
    fn a_change_of_a_source_keeps_its_other_settings_and_null_removes_them() {
        let change = |body| serde_json::from_value::<ChangeSignals>(body).unwrap();
        let first = change(json!({ "sources": { "ci": { "counts": false, "precedence": 7 } } }));
        let settings = first.apply(SignalSettings::default());
        let settings = change(json!({ "sources": { "ci": { "counts": true } } })).apply(settings);
        assert_eq!((settings.rule(&source("ci")).counts, settings.rule(&source("ci")).precedence), (true, 7));
        assert_eq!(settings.rule(&source("merge")).wait_pass_seconds, 259_200);

        let settings = change(json!({ "sources": { "ci": null }, "matching": "only" })).apply(settings);
        assert!(settings.sources.is_empty() && settings.matching == SignalMatching::Only);
    }

    #[test]
    fn an_invalid_source_is_named() {
        let refused = serde_json::from_value::<ChangeSignals>(json!({ "sources": { "My CI": {} } }));
        assert!(refused.unwrap_err().to_string().contains("the source \"My CI\" must have"));
    }

    #[test]
    fn rules_are_listed_by_precedence_and_each_source_once() {
        let settings = SignalSettings {
            sources: BTreeMap::from([
                (source("ci"), SourceSettings { precedence: Some(99), ..SourceSettings::default() }),
                (source("nightly"), SourceSettings::default()),
            ]),
            ..SignalSettings::default()
        };
        let names: Vec<String> = settings.rules().into_iter().map(|(source, _)| source.into()).collect();
        assert_eq!(names, ["ci", "merge", "ticket", "user", "tests", "evaluation", "nightly"]);
        assert_eq!((source("ci").metric_label(), source("nightly").metric_label()), ("ci", "other"));
    }
}
