#!/bin/sh
# Creates the user of the server and the restricted role that its connections take (docs/OPERATIONS.md, Install). The
# image of Postgres runs this once, as the superuser, when it creates the database.
set -eu

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set password="$REFLECT_PASSWORD" <<'SQL'
create extension vector;
create role reflect_app nologin;
create role reflect login password :'password';
grant reflect_app to reflect;
alter database :"DBNAME" owner to reflect;
SQL
