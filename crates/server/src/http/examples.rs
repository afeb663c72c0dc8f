//! Examples of request and response bodies for the API description: one per schema, in `examples.json`. Bodies without a
//! schema of their own have an entry `<operation> request` or `<operation> response`.

use std::collections::HashMap;

use serde_json::{Value, json};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::ArrayItems;
use utoipa::openapi::{Content, RefOr, Schema};

/// All examples, by name.
pub(crate) struct Examples(HashMap<String, Value>);

impl Examples {
    pub(crate) fn new() -> Self {
        // A test reads every example, so the file is valid.
        Self(serde_json::from_str(include_str!("examples.json")).unwrap_or_default())
    }

    /// Adds the examples of one operation.
    pub(crate) fn add_to(&self, operation: &mut Operation) {
        let id = operation.operation_id.clone().unwrap_or_default();
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            let own = self.0.get(&format!("{id} request"));
            body.content.values_mut().for_each(|content| self.fill(content, own));
        }
        let own = self.0.get(&format!("{id} response"));
        for response in operation.responses.responses.values_mut() {
            if let RefOr::T(response) = response {
                response.content.values_mut().for_each(|content| self.fill(content, own));
            }
        }
    }

    fn fill(&self, content: &mut RefOr<Content>, own: Option<&Value>) {
        if let RefOr::T(content) = content {
            content.example = content.schema.as_ref().and_then(|schema| self.of(schema, own));
        }
    }

    fn of(&self, schema: &RefOr<Schema>, own: Option<&Value>) -> Option<Value> {
        match schema {
            RefOr::Ref(named) => self.0.get(named.ref_location.rsplit('/').next()?).cloned(),
            RefOr::T(Schema::Array(array)) => match &array.items {
                ArrayItems::RefOrSchema(item) => Some(json!([self.of(item, own)?])),
                ArrayItems::False => None,
            },
            // A body that may have any fields needs none.
            RefOr::T(_) => Some(own.cloned().unwrap_or_else(|| json!({}))),
        }
    }
}
