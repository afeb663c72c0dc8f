//! The development server of this machine, as other commands find it: its folder, its connection file and the user of its
//! Postgres.

pub(crate) mod connection;
pub(crate) mod folder;
pub(crate) mod postgres_account;
