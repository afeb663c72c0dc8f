//! The audit log.

use reflect_api::AuditEntry;
use reflect_store::AuditRow;

pub(crate) fn audit_entry(row: AuditRow) -> AuditEntry {
    AuditEntry {
        id: row.audit_id,
        at: row.created_at,
        actor: row.actor,
        action: row.action,
        target: row.target,
        address: row.address,
        request_id: row.request_id,
        detail: row.detail.and_then(|detail| serde_json::from_str(&detail).ok()),
    }
}
