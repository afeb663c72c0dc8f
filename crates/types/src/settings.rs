//! The settings of a project: stored, on the wire and in the engine.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::{
    ChangeLessons, ChangeOtlp, ChangeRedaction, ChangeSignals, LessonSettings, OtlpSettings, Ranking,
    RedactionSettings, RetentionSettings, SignalSettings, SignalSource, SourceSettings,
};

/// The settings of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ProjectSettings {
    /// How memories are ranked.
    pub ranking: Ranking,
    /// The largest number of model tokens per day (UTC); `None` for the limit of the server.
    pub daily_tokens: Option<u64>,
    /// The share of retrievals without memories, to measure their effect; 0 for none.
    pub holdout_rate: f64,
    /// The judge, which reviews traces that have no review.
    pub judge: JudgeSettings,
    /// What is redacted before texts are stored or sent to a model.
    pub redaction: RedactionSettings,
    /// For how many days data is kept, if shorter than in the installation.
    pub retention: RetentionSettings,
    /// How lessons are grouped, superseded and weighted.
    pub lessons: LessonSettings,
    /// How signals become reviews.
    pub signals: SignalSettings,
    /// How runs that arrive as OpenTelemetry spans are taken.
    pub otlp: OtlpSettings,
}

/// The judge's settings in a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProjectJudge))]
#[serde(default)]
pub struct JudgeSettings {
    /// Whether a model reviews traces that have no review.
    pub enabled: bool,
    /// The criteria for a pass. Empty if the task alone defines them.
    pub rubric: String,
    /// The share of traces that the judge reviews.
    pub sample_rate: f64,
    /// The share of these whose result is kept hidden, to compare it with human reviews.
    pub blind_share: f64,
    /// The largest number of tokens per day (UTC), within the project's limit. Null means only the project's limit.
    pub daily_tokens: Option<u64>,
    /// How old a trace must be before the judge reviews it, in seconds. Human and client reviews come first.
    pub delay_seconds: u64,
}

impl Default for JudgeSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            rubric: String::new(),
            sample_rate: 1.0,
            // Enough to measure a judge within a few days, while most of its verdicts count.
            blind_share: 0.2,
            daily_tokens: None,
            delay_seconds: 30,
        }
    }
}

/// Changes a project's settings. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeProject {
    /// Which number is used as a memory's utility: `learned` or `classic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// The largest number of model tokens per day (UTC). Null removes the project's own limit.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub daily_tokens: Option<Option<u64>>,
    /// The share of retrievals that return no memories, 0 to 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout_rate: Option<f64>,
    /// The judge, which reviews traces that have no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ChangeJudge>,
    /// What is redacted. Absent fields stay unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redaction: Option<ChangeRedaction>,
    /// How many days data is kept. Replaces all earlier retention settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionSettings>,
    /// How lessons are grouped, superseded and weighted. Absent fields stay unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lessons: Option<ChangeLessons>,
    /// How signals become reviews. Absent fields stay unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signals: Option<ChangeSignals>,
    /// How runs that arrive as OpenTelemetry spans are taken. Absent fields stay unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otlp: Option<ChangeOtlp>,
}

/// Changes the judge's settings. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeJudge {
    /// Whether a model reviews traces that have no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The criteria for a pass, at most 16 kB. Another rubric restarts the measurement of the judge's agreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
    /// The share of traces that the judge reviews, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<f64>,
    /// The share of these whose result is kept hidden, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blind_share: Option<f64>,
    /// The largest number of tokens per day (UTC). Null removes the judge's own limit.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<u64>))]
    pub daily_tokens: Option<Option<u64>>,
    /// How old a trace must be before the judge reviews it, in seconds. At most 30 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<u64>,
}

/// Distinguishes a null from an absent field.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::<u64>::deserialize(from).map(Some)
}

/// A stored setting that cannot be read. Its default is used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the stored setting `{field}` is not valid: {problem}; its default is used")]
pub struct InvalidSetting {
    /// Its path, such as `judge.sample_rate`.
    pub field: String,
    /// What is wrong.
    pub problem: String,
}

impl ProjectSettings {
    /// Reads stored settings field by field. A field that cannot be read gets its default and is reported; the others
    /// keep their values. Unknown fields are those of another version and are ignored.
    ///
    /// ```
    /// use reflect_types::ProjectSettings;
    ///
    /// let stored = serde_json::json!({ "ranking": "unheard of", "redaction": { "pii": "mask" } });
    /// let (settings, invalid) = ProjectSettings::read(&stored);
    /// assert_eq!(settings.redaction.pii, reflect_types::PiiMode::Mask);
    /// assert_eq!(invalid[0].field, "ranking");
    /// ```
    pub fn read(stored: &Value) -> (Self, Vec<InvalidSetting>) {
        let mut invalid = Vec::new();
        let usual = Self::default();
        let mut top = Group::new(stored, "", &mut invalid);
        let (ranking, daily_tokens, holdout_rate) = (
            top.field("ranking", usual.ranking),
            top.field("daily_tokens", usual.daily_tokens),
            top.field("holdout_rate", usual.holdout_rate),
        );
        let group = |name| stored.get(name).unwrap_or(&Value::Null);
        let mut judge = Group::new(group("judge"), "judge.", &mut invalid);
        let judge = JudgeSettings {
            enabled: judge.field("enabled", usual.judge.enabled),
            rubric: judge.field("rubric", usual.judge.rubric),
            sample_rate: judge.field("sample_rate", usual.judge.sample_rate),
            blind_share: judge.field("blind_share", usual.judge.blind_share),
            daily_tokens: judge.field("daily_tokens", usual.judge.daily_tokens),
            delay_seconds: judge.field("delay_seconds", usual.judge.delay_seconds),
        };
        let mut redaction = Group::new(group("redaction"), "redaction.", &mut invalid);
        let redaction = RedactionSettings {
            secrets: redaction.field("secrets", usual.redaction.secrets),
            pii: redaction.field("pii", usual.redaction.pii),
            ip_addresses: redaction.field("ip_addresses", usual.redaction.ip_addresses),
        };
        let mut retention = Group::new(group("retention"), "retention.", &mut invalid);
        let retention = RetentionSettings {
            traces_days: retention.field("traces_days", usual.retention.traces_days),
            bodies_days: retention.field("bodies_days", usual.retention.bodies_days),
            retrievals_days: retention.field("retrievals_days", usual.retention.retrievals_days),
        };
        let lessons = read_lessons(group("lessons"), usual.lessons, &mut invalid);
        let signals = read_signals(group("signals"), usual.signals, &mut invalid);
        let otlp = read_otlp(group("otlp"), usual.otlp, &mut invalid);
        let settings =
            Self { ranking, daily_tokens, holdout_rate, judge, redaction, retention, lessons, signals, otlp };
        (settings, invalid)
    }
}

fn read_lessons(stored: &Value, usual: LessonSettings, invalid: &mut Vec<InvalidSetting>) -> LessonSettings {
    let mut lessons = Group::new(stored, "lessons.", invalid);
    LessonSettings {
        grouping: lessons.field("grouping", usual.grouping),
        absorb: lessons.field("absorb", usual.absorb),
        supersede: lessons.field("supersede", usual.supersede),
        infer_use: lessons.field("infer_use", usual.infer_use),
        utility_weight: lessons.field("utility_weight", usual.utility_weight),
    }
}

fn read_signals(stored: &Value, usual: SignalSettings, invalid: &mut Vec<InvalidSetting>) -> SignalSettings {
    let mut signals = Group::new(stored, "signals.", invalid);
    let blind_share = signals.field("blind_share", usual.blind_share);
    let matching = signals.field("matching", usual.matching);
    let sets: BTreeMap<String, Value> = signals.field("sources", BTreeMap::new());
    let mut sources = BTreeMap::new();
    for (name, stored) in &sets {
        let prefix = format!("signals.sources.{name}.");
        let Ok(source) = name.parse::<SignalSource>() else {
            let problem = "is not the name of a source".to_owned();
            invalid.push(InvalidSetting { field: prefix.trim_end_matches('.').to_owned(), problem });
            continue;
        };
        let mut set = Group::new(stored, prefix, invalid);
        let set = SourceSettings {
            counts: set.field("counts", None),
            pass_from: set.field("pass_from", None),
            fail_below: set.field("fail_below", None),
            wait_pass_seconds: set.field("wait_pass_seconds", None),
            wait_fail_seconds: set.field("wait_fail_seconds", None),
            precedence: set.field("precedence", None),
        };
        sources.insert(source, set);
    }
    SignalSettings { blind_share, matching, sources }
}

fn read_otlp(stored: &Value, usual: OtlpSettings, invalid: &mut Vec<InvalidSetting>) -> OtlpSettings {
    let mut otlp = Group::new(stored, "otlp.", invalid);
    OtlpSettings {
        sample_rate: otlp.field("sample_rate", usual.sample_rate),
        grace_seconds: otlp.field("grace_seconds", usual.grace_seconds),
        quiet_seconds: otlp.field("quiet_seconds", usual.quiet_seconds),
        max_run_bytes: otlp.field("max_run_bytes", usual.max_run_bytes),
    }
}

/// An object of stored settings.
struct Group<'a> {
    fields: Option<&'a Map<String, Value>>,
    prefix: Cow<'static, str>,
    invalid: &'a mut Vec<InvalidSetting>,
}

impl<'a> Group<'a> {
    fn new(
        stored: &'a Value,
        prefix: impl Into<Cow<'static, str>>,
        invalid: &'a mut Vec<InvalidSetting>,
    ) -> Self {
        let prefix = prefix.into();
        let fields = stored.as_object();
        if fields.is_none() && !stored.is_null() {
            let field = if prefix.is_empty() { "settings" } else { prefix.trim_end_matches('.') };
            invalid.push(InvalidSetting { field: field.to_owned(), problem: "must be an object".to_owned() });
        }
        Self { fields, prefix, invalid }
    }

    fn field<T: DeserializeOwned>(&mut self, name: &str, usual: T) -> T {
        let Some(stored) = self.fields.and_then(|fields| fields.get(name)) else { return usual };
        T::deserialize(stored).unwrap_or_else(|error| {
            let field = format!("{}{name}", self.prefix);
            self.invalid.push(InvalidSetting { field, problem: error.to_string() });
            usual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LessonGrouping, PiiMode, WeightSource};
    use serde_json::json;

    fn names(invalid: &[InvalidSetting]) -> Vec<&str> {
        invalid.iter().map(|one| one.field.as_str()).collect()
    }

    #[test]
    fn only_the_invalid_value_gets_its_default() {
        let stored = json!({
            "ranking": "classic",
            "daily_tokens": 7,
            "holdout_rate": "half",
            "judge": { "enabled": true, "rubric": "Be strict.", "sample_rate": [1], "delay_seconds": 5 },
            "redaction": { "secrets": false, "pii": "mask", "ip_addresses": "yes" },
            "retention": { "traces_days": 30, "bodies_days": -1 },
            "lessons": { "grouping": "off", "absorb": "no", "utility_weight": "replay" },
            "signals": { "matching": "some", "sources": { "ci": { "precedence": 900, "counts": false }, "A B": {} } },
            "otlp": { "sample_rate": 0.5, "quiet_seconds": -1 },
            "of_a_newer_version": true,
        });
        let (settings, invalid) = ProjectSettings::read(&stored);
        assert_eq!(
            names(&invalid),
            [
                "holdout_rate",
                "judge.sample_rate",
                "redaction.ip_addresses",
                "retention.bodies_days",
                "lessons.absorb",
                "signals.matching",
                "signals.sources.A B",
                "signals.sources.ci.precedence",
                "otlp.quiet_seconds"
            ]
        );
        assert!(invalid[0].to_string().starts_with("the stored setting `holdout_rate` is not valid: "));
        let expected = ProjectSettings {
            ranking: Ranking::Classic,
            daily_tokens: Some(7),
            holdout_rate: 0.0,
            judge: JudgeSettings {
                enabled: true,
                rubric: "Be strict.".to_owned(),
                delay_seconds: 5,
                ..JudgeSettings::default()
            },
            redaction: RedactionSettings { secrets: false, pii: PiiMode::Mask, ip_addresses: false },
            retention: RetentionSettings { traces_days: Some(30), ..RetentionSettings::default() },
            lessons: LessonSettings {
                grouping: LessonGrouping::Off,
                utility_weight: WeightSource::Replay,
                ..LessonSettings::default()
            },
            signals: SignalSettings {
                sources: BTreeMap::from([(
                    "ci".parse().unwrap(),
                    SourceSettings { counts: Some(false), ..SourceSettings::default() },
                )]),
                ..SignalSettings::default()
            },
            otlp: OtlpSettings { sample_rate: 0.5, ..OtlpSettings::default() },
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn a_group_that_is_not_an_object_gets_its_default() {
        let (settings, invalid) =
            ProjectSettings::read(&json!({ "judge": true, "redaction": { "pii": "block" } }));
        assert_eq!(names(&invalid), ["judge"]);
        assert_eq!((settings.judge, settings.redaction.pii), (JudgeSettings::default(), PiiMode::Block));
        assert_eq!(ProjectSettings::read(&json!({})), (ProjectSettings::default(), vec![]));
        assert_eq!(ProjectSettings::read(&Value::Null).1, vec![]);
        assert_eq!(names(&ProjectSettings::read(&json!(7)).1), ["settings"]);
    }

    #[test]
    fn written_settings_are_read_back() {
        let settings =
            ProjectSettings { holdout_rate: 0.25, daily_tokens: Some(9), ..ProjectSettings::default() };
        let (read, invalid) = ProjectSettings::read(&serde_json::to_value(&settings).unwrap());
        assert_eq!((read, invalid), (settings, vec![]));
    }

    #[test]
    fn a_change_distinguishes_null_from_absent() {
        let change: ChangeProject = serde_json::from_value(json!({ "daily_tokens": null })).unwrap();
        assert_eq!((change.daily_tokens, change.ranking), (Some(None), None));
        assert_eq!(serde_json::to_value(&change).unwrap(), json!({ "daily_tokens": null }));
    }
}
