//! The judge: a model that reviews runs in the background if no person has.
//!
//! The learning rate of its reviews follows from its agreement with people on blind runs, where people do not see its
//! verdict. Below a minimum it is stopped. No transaction is open while the model is called. The judgement is stored
//! when it arrives and then becomes a review. The process may stop at any point: the job runs again, finds the
//! judgement, and pays for nothing twice.

mod ask;
mod budget;
mod preview;
mod retry;
mod sample;
mod scheduler;
mod service;
mod status;
mod stop_notice;

pub use ask::Opinion;
pub use preview::{GivenRun, JudgeTry, TriedRun};
pub use service::Judge;
pub use status::JudgeReport;
