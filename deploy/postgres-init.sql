-- Run once, by the superuser, when the volume is new. The program's role owns its database and is nothing more.

do $$
begin
  execute format('create role workforce login password %L', btrim(pg_read_file('/run/secrets/database_password'), E'\r\n'));
end
$$;

-- For the doctor, which names sessions of any role that block others.
grant pg_read_all_stats to workforce;

create database workforce owner workforce template template0 encoding 'UTF8' locale 'C.UTF-8';

revoke connect on database workforce, postgres from public;
