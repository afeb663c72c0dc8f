//! For tests only: a database for each test, an application over it, and the small builders that
//! let a test mention only what matters to it.

mod app;
mod database;
mod members;
mod requests;
mod search;

pub use app::TestApp;
pub use database::TestDb;
pub use members::browser_request;
pub use requests::{Answer, answer, trace};
