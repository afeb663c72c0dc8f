-- Installs the only required extension.
create extension if not exists vector
