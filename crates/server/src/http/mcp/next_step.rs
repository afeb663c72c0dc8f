//! What a model can do after a tool failed.

use crate::error::ApiError;

/// Adds the next step to the message of an error.
pub(super) fn with_next_step(tool: &str, mut error: ApiError) -> ApiError {
    if let Some(step) = next_step(tool, error.code) {
        error.message = format!("{}. Next: {step}.", error.message.trim_end_matches('.'));
    }
    error
}

fn next_step(tool: &str, code: &str) -> Option<&'static str> {
    Some(match (tool, code) {
        ("review_run", "not_found") => {
            "use the trace_id that record_run or create_memory returned; record the run with record_run if it was not \
             recorded"
        }
        ("review_run", "conflict") => {
            "the run keeps its verdict; call review_run again with \"replace\": true only if that verdict was wrong"
        }
        ("get_skill", "not_found") => {
            "continue without a skill, and call retrieve_memories instead; a person creates a skill with \
             `reflect skill create`"
        }
        (_, "invalid_request") => "correct the arguments as in the tool's inputSchema, and call it again",
        (_, "personal_data") => "remove the personal data from the text, and call it again",
        (_, "missing_scope" | "forbidden") => {
            "do not call this tool again; tell the user that the API key needs this scope (`reflect keys create --scope`)"
        }
        (_, "unavailable" | "overloaded" | "provider_unavailable") => {
            "continue with the task, and call the tool again after some seconds"
        }
        (_, "internal" | "provider_failed") => {
            "continue with the task; tell the user the request_id, which finds the cause in the server's log"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;
    use crate::http::mcp::TOOLS;

    #[test]
    fn the_usual_errors_of_every_tool_state_the_next_step() {
        for tool in TOOLS {
            for code in ["invalid_request", "missing_scope", "unavailable", "internal"] {
                let error = ApiError::new(StatusCode::IM_A_TEAPOT, code, "it failed.");
                let message = with_next_step(tool.name, error).message;
                assert!(message.starts_with("it failed. Next: "), "{}: {message}", tool.name);
            }
        }
        let conflict = ApiError::new(StatusCode::CONFLICT, "conflict", "the trace already has a review");
        assert!(with_next_step("review_run", conflict).message.contains("replace"));
    }
}
