-- Whether the settings that this connection was opened with are in effect. Behind a pooler they are not.
select coalesce(current_setting('reflect.session', true), '') = $1::text
