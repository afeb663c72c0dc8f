-- When this installation was created: identifies the database and its standbys.
select created_at from installation
