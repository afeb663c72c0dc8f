//! Ids that are plain numbers or UUIDs.

use uuid::Uuid;

/// The id of an action, in the order of time.
pub type ActionId = Uuid;

/// The id of an erasure, in the order of time.
pub type ErasureId = Uuid;

/// The id of a run in OpenTelemetry: its trace id.
pub type OtlpId = Uuid;
/// The id of a webhook: an endpoint that receives events.
pub type WebhookId = Uuid;

/// The id of an event. A receiver finds repeated deliveries by it.
pub type EventId = Uuid;

/// The id of a delivery, in the order of time.
pub type DeliveryId = Uuid;

/// The number of an embedding space.
pub type SpaceId = i16;
