//! How a project takes runs that arrive as OpenTelemetry spans.

use serde::{Deserialize, Serialize};

/// How a project takes runs that arrive as OpenTelemetry spans.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProjectOtlp))]
#[serde(default)]
pub struct OtlpSettings {
    /// The share of runs that is kept. Decided by the trace id, so all spans of a run are kept or none.
    pub sample_rate: f64,
    /// How long to wait for further spans after the root of a run has ended, in seconds.
    pub grace_seconds: u32,
    /// How long to wait for further spans of a run whose root has not ended, in seconds.
    pub quiet_seconds: u32,
    /// How large the spans of one run may be together, in bytes. Further spans of the run are dropped.
    pub max_run_bytes: u32,
}

impl Default for OtlpSettings {
    fn default() -> Self {
        Self {
            sample_rate: 1.0,
            // Exporters send every 5 seconds.
            grace_seconds: 10,
            // A tool, or a person who is asked, may take long. Then no span ends.
            quiet_seconds: 30 * 60,
            // Every call of a model repeats the conversation.
            max_run_bytes: 32 * 1024 * 1024,
        }
    }
}

/// Changes how a project takes OpenTelemetry spans. Absent fields stay unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeOtlp {
    /// The share of runs that is kept, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_rate: Option<f64>,
    /// How long to wait for further spans after the root of a run has ended, in seconds, 0 to 3600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_seconds: Option<u32>,
    /// How long to wait for further spans of a run whose root has not ended, in seconds, 1 to 86400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_seconds: Option<u32>,
    /// How large the spans of one run may be together, in bytes, 64 kB to 64 MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_run_bytes: Option<u32>,
}

impl ChangeOtlp {
    /// The settings after the change.
    pub fn apply(self, before: OtlpSettings) -> OtlpSettings {
        OtlpSettings {
            sample_rate: self.sample_rate.unwrap_or(before.sample_rate),
            grace_seconds: self.grace_seconds.unwrap_or(before.grace_seconds),
            quiet_seconds: self.quiet_seconds.unwrap_or(before.quiet_seconds),
            max_run_bytes: self.max_run_bytes.unwrap_or(before.max_run_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_stay_unchanged() {
        let half = OtlpSettings { sample_rate: 0.5, ..OtlpSettings::default() };
        let change = ChangeOtlp { grace_seconds: Some(0), ..ChangeOtlp::default() };
        assert_eq!(change.apply(half), OtlpSettings { grace_seconds: 0, ..half });
        let read: OtlpSettings = serde_json::from_str(r#"{"quiet_seconds": 7}"#).unwrap();
        assert_eq!(read, OtlpSettings { quiet_seconds: 7, ..OtlpSettings::default() });
    }
}
