-- postgres-role.sql - the role that coordinators use, with as few rights as will do.
--
-- Once in each database, as a role that may make roles:
--
--     psql -d superstep -v role=superstep_app -v schema=superstep \
--         -v password="$(cat password)" -f deploy/postgres-role.sql
--
-- The role owns one schema and makes its tables there. It can reach nothing else
-- in the database, make no other schema, no role, no temporary table, and read
-- no file. Run it again to set another password.
\set ON_ERROR_STOP on

BEGIN;
SELECT format('CREATE ROLE %I', :'role')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec

ALTER ROLE :"role" WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION
    NOBYPASSRLS NOINHERIT CONNECTION LIMIT 100 PASSWORD :'password';
-- Every name that a coordinator uses is qualified.
ALTER ROLE :"role" SET search_path = '';

SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(),
    :'role') \gexec
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

CREATE SCHEMA IF NOT EXISTS :"schema";
-- Whoever gives away a schema must be a member of who gets it.
SELECT format('GRANT %I TO %I', :'role', current_user)
WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) \gexec
ALTER SCHEMA :"schema" OWNER TO :"role";
REVOKE ALL ON SCHEMA :"schema" FROM PUBLIC;
COMMIT;
