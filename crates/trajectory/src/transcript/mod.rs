//! Reads the transcripts that coding agents write while they work: files with one JSON object per line.
//!
//! A run is what follows one prompt, up to the next prompt. Lines are read in the order of the file, which is the order
//! in which they happened. So compaction, which only adds lines, changes nothing, and a branch that the user left stays
//! the run that it was. A transcript that grows is read in parts: each part starts where the last one ended.
//!
//! Reading never fails. Lines that cannot be repaired and entries of unknown types are skipped.

mod claude_code;
mod codex;
mod entries;
#[cfg(test)]
mod fuzz;
mod repair;
mod run;
mod shell;
#[cfg(test)]
mod tests;

pub use repair::repaired_json;
pub use run::{ShellCommand, TranscriptRun};

/// The program that wrote a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptFormat {
    /// Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.
    ClaudeCode,
    /// Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl`.
    Codex,
}

/// What was read from a transcript, or from a part of one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// The runs with an answer, in order, and the last one also without: its answer may follow. The first one has no turn if
    /// the part starts inside a run.
    pub runs: Vec<TranscriptRun>,
    /// How many bytes were read: up to the end of the last complete line.
    pub end: usize,
}

impl Transcript {
    /// Reads a transcript, or a part of one that starts at the begin of a line.
    ///
    /// ```
    /// use reflect_trajectory::{Transcript, TranscriptFormat};
    ///
    /// let lines = concat!(
    ///     r#"{"type":"user","uuid":"u1","promptId":"p1","message":{"role":"user","content":"Say hello"}}"#, "\n",
    ///     r#"{"type":"assistant","uuid":"u2","message":{"role":"assistant","id":"m1","content":[{"type":"text","text":"Hello"}]}}"#, "\n",
    /// );
    /// let read = Transcript::read(TranscriptFormat::ClaudeCode, lines.as_bytes());
    /// assert_eq!((read.runs[0].turn.as_deref(), read.runs[0].prompt.as_str()), (Some("p1"), "Say hello"));
    /// assert_eq!((read.runs[0].messages.len(), read.end), (2, lines.len()));
    /// ```
    pub fn read(format: TranscriptFormat, part: &[u8]) -> Self {
        match format {
            TranscriptFormat::ClaudeCode => claude_code::read(part),
            TranscriptFormat::Codex => codex::read(part),
        }
    }
}
