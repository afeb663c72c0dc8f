-- The one extension there is to install.
create extension if not exists vector
