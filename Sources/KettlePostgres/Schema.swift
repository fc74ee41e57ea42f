/// The tables and functions of a fleet in a database: the schema `kettle`.
///
/// A program calls only the functions of `SchemaHosts` and `SchemaPeople`. Each of them is one
/// transaction with one JSON parameter and one JSON result in the forms of KettleFleet, and runs
/// with the rights of the owner of the schema. So a role that may execute them can do nothing else;
/// a role `kettle_host` gets that right if there is one. Such a role may write any JSON: what one
/// host or person wrote is bounded in size, and goes to others as text, which each of them reads
/// alone.
enum Schema {
  static let version = 1

  /// Ends with an error if the database has a later version.
  static let check = """
    do $$ declare found integer; begin
      if to_regclass('kettle.meta') is null then return; end if;
      execute 'select version from kettle.meta' into found;
      if found > \(version) then
        raise exception '%', found using errcode = 'KF002';
      end if;
    end $$;
    """

  /// Creates what is missing and replaces the functions, in one transaction.
  static let script = [
    "begin; select pg_advisory_xact_lock(7311884); create schema if not exists kettle;",
    "revoke all on schema kettle from public; set local search_path = kettle, pg_temp;",
    tables, tallies, vocabulary, SchemaCopies.deciding, SchemaCopies.adding, SchemaErrands.ofHosts,
    SchemaHosts.leases,
    SchemaHosts.beat, SchemaHosts.claim, SchemaHosts.ends, SchemaPeople.adding,
    SchemaPeople.looking, SchemaPeople.window, SchemaPeople.control, SchemaErrands.ofPeople,
    SchemaPeople.fleet, rights,
    "commit;",
  ].joined(separator: "\n")

  /// How a function is declared that a program may call. Plans that are good for a large table are
  /// right for a small one, too, and remain while it grows. None is worth compiling.
  static let open = """
    language plpgsql security definer set search_path = kettle, pg_temp
    set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
    """

  /// Inside, a state is a number: its index in `state_name`. 1, 2 and 5 with a host are claims.
  private static let tables = """
    create table if not exists meta (
      one boolean primary key default true check (one), version integer not null,
      fleet uuid not null default gen_random_uuid(), lease_ms bigint not null default 60000,
      limit_bytes bigint, woken_at timestamptz not null default '-infinity',
      -- What the hosts ask each other for files with.
      share_secret text not null default encode(sha256(convert_to(
        gen_random_uuid()::text || gen_random_uuid(), 'UTF8')), 'hex'),
      -- The greatest stamp of a removal that is forgotten.
      forgotten xid8 not null default '0');
    insert into meta (version) values (\(version)) on conflict do nothing;
    update meta set version = \(version) where version < \(version);

    -- The shares of a host are its own until `alive_until`.
    create table if not exists host (
      id bigint generated always as identity primary key, name text not null,
      secret bytea not null, start bigint not null default 1, labels text[] not null,
      take integer not null, version text not null, alive_until timestamptz not null,
      is_holding boolean not null default false, is_draining boolean not null default false,
      left_at timestamptz, bytes_per_second bigint not null default 0,
      wants_more boolean not null default false, free_bytes bigint,
      completed bigint not null default 0, share_address text,
      -- Until then it waits for a share of any host. See `share_out`.
      hungry_until timestamptz);
    create unique index if not exists host_name on host (name) where left_at is null;
    create index if not exists host_lease on host (alive_until) where is_holding;
    create index if not exists host_hungry on host (hungry_until) where hungry_until is not null;

    create table if not exists origin (
      id bigint generated always as identity primary key, text text not null unique,
      shares integer not null default 1, connections integer,
      opens_at timestamptz not null default '-infinity',
      -- Its host backwards, so that a parent domain is a beginning.
      reversed text generated always as (reverse(
        regexp_replace(regexp_replace(text, '^[a-z]+://', ''), ':[0-9]+$', '')) || '.') stored);
    create index if not exists origin_reversed on origin (reversed text_pattern_ops);
    create index if not exists origin_chosen on origin (id)
      where shares <> 1 or connections is not null;
    create table if not exists share (
      origin bigint not null, slot integer not null, host bigint, connections integer,
      -- The host that gets it when the one that holds it releases it.
      next_host bigint, primary key (origin, slot));
    create index if not exists share_host on share (host) where host is not null;

    -- `changed` is the transaction that wrote the row last.
    create table if not exists transfer (
      id bigint generated always as identity primary key, origin bigint not null,
      epoch bigint not null default 0, host bigint, changed xid8 not null, byte_count bigint,
      created_at timestamptz not null default now(), finished_at timestamptz,
      priority double precision not null, slot integer, state smallint not null,
      on_label text not null default '', url text not null, rest jsonb not null, name text,
      directory text, earlier jsonb, failure jsonb, unique_key bytea,
      -- Of copies: see `SchemaCopies`.
      copies bigint, home bigint, supplier bigint, tries integer not null default 0, sha256 text,
      -- Of a published file: see `SchemaErrands`.
      proof jsonb, checked jsonb
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
    create index if not exists transfer_queue on transfer (origin, on_label, priority desc, id)
      where state = 0;
    create index if not exists transfer_host on transfer (host, state, id) where host is not null;
    create index if not exists transfer_state on transfer (state, id);
    create index if not exists transfer_changed on transfer (changed);
    create unique index if not exists transfer_unique on transfer (unique_key)
      where unique_key is not null;
    create sequence if not exists copies;
    create index if not exists transfer_copies on transfer (copies) where copies is not null;
    create index if not exists transfer_copy_of on transfer (on_label, origin)
      where copies is not null and state = 0;
    create index if not exists transfer_supplied on transfer (supplier)
      where supplier is not null and state in (0, 1);

    create unlogged table if not exists progress (
      id bigint primary key, body jsonb not null, changed xid8 not null);
    create table if not exists errand (
      id bigint primary key, consequence integer not null, is_repeated boolean not null default false,
      asked_at timestamptz not null default now());
    create table if not exists removed (
      id bigint not null, changed xid8 not null, at timestamptz not null default now());
    create index if not exists removed_changed on removed (changed);
    """

  /// The sums by state, in a row for each state and each of 16 groups of sessions.
  private static let tallies = """
    create table if not exists tally (
      bucket integer, state smallint, count bigint not null, primary key (bucket, state)
    ) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
    create or replace function count_rows() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        insert into kettle.tally as t select pg_backend_pid() % 16, state, sum(n) from (
            select state, 1 as n from new_rows union all select state, -1 from old_rows) r
          group by state having sum(n) <> 0 order by state
          on conflict (bucket, state) do update set count = t.count + excluded.count;
      elsif tg_op = 'INSERT' then
        insert into kettle.tally as t select pg_backend_pid() % 16, state, count(*) from new_rows
          group by state order by state
          on conflict (bucket, state) do update set count = t.count + excluded.count;
      else
        insert into kettle.tally as t select pg_backend_pid() % 16, state, -count(*) from old_rows
          group by state order by state
          on conflict (bucket, state) do update set count = t.count + excluded.count;
      end if;
      return null;
    end $$;
    create or replace trigger count_added after insert on transfer
      referencing new table as new_rows for each statement execute function count_rows();
    create or replace trigger count_changed after update on transfer
      referencing new table as new_rows old table as old_rows
      for each statement execute function count_rows();
    create or replace trigger count_removed after delete on transfer
      referencing old table as old_rows for each statement execute function count_rows();
    """

  private static let vocabulary = """
    create or replace function schema_version() returns integer \(open) as $$
    begin return (select version from meta); end $$;

    create or replace function state_names() returns text[] language sql immutable as $$
      select array['queued', 'claimed', 'placing', 'completed', 'failed', 'paused', 'idle'] $$;
    create or replace function state_name(state smallint) returns text language sql immutable as $$
      select (state_names())[state + 1] $$;

    -- From now on; null if it is over.
    create or replace function milliseconds(until timestamptz) returns bigint language sql stable
    as $$
      select case when until > now() then ceil(extract(epoch from until - now()) * 1000)::bigint end
    $$;
    create or replace function since_1970(moment timestamptz) returns bigint language sql immutable
    as $$ select (extract(epoch from moment) * 1000)::bigint $$;

    create or replace function texts(list jsonb) returns text[] language sql immutable as $$
      select array(select t from jsonb_array_elements_text(list) t where t is not null) $$;

    -- Returns a value that a client wrote, or null if it is too large for a list of many.
    create or replace function small(body jsonb, most integer) returns jsonb language sql immutable
    as $$ select case when octet_length(body::text) <= most then body end $$;
    create or replace function refuse_large(body jsonb, most integer, what text) returns void
    language plpgsql immutable as $$
    begin
      if octet_length(body::text) > most then
        raise exception '% has more than % bytes', what, most using errcode = '22023';
      end if;
    end $$;

    -- Notifies waiting hosts, at most once a second. Skips it while another session does so.
    create or replace function wake_hosts() returns void language plpgsql as $$
    begin
      perform 1 from meta where woken_at < clock_timestamp() - interval '1 second'
        for update skip locked;
      if found then
        update meta set woken_at = clock_timestamp();
        perform pg_notify('kettle_work', '');
      end if;
    end $$;
    """

  /// Functions are open to everyone by default.
  private static let rights = """
    revoke all on all tables in schema kettle from public;
    revoke all on all functions in schema kettle from public;
    do $$ begin
      if exists (select from pg_roles where rolname = 'kettle_host') then
        grant usage on schema kettle to kettle_host;
        grant execute on all functions in schema kettle to kettle_host;
      end if;
    end $$;
    """
}
