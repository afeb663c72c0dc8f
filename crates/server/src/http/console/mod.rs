//! Routes of the console that belong to no project: session, members and projects.

pub(crate) mod members;
pub(crate) mod projects;
pub(crate) mod session;
