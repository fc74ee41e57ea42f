/// The functions for people: adding, looking and controlling.
enum SchemaPeople {
  static let adding = """
    create or replace function unique_key(url text, directory text) returns bytea
    language sql immutable as $$
      select substr(sha256(convert_to(concat_ws(e'\\n', url, directory), 'UTF8')), 1, 16) $$;

    -- Creates the origins and their shares that are missing.
    create or replace function make_origins(texts text[]) returns void language plpgsql as $$
    begin
      insert into origin (text) select distinct t from unnest(texts) t
        where not exists (select from origin where text = t) order by t on conflict do nothing;
      insert into share (origin, slot) select o.id, s from origin o, generate_series(0, o.shares - 1) s
        where o.text = any(texts) and not exists (
          select from share where origin = o.id and slot = s) on conflict do nothing;
    end $$;

    create or replace function add_orders(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      a jsonb := p->'addition'; origins text[];
      is_unique boolean := (a->>'isUnique')::boolean; is_news boolean; ids jsonb;
    begin
      perform refuse_large(r, 65536, 'an order') from jsonb_array_elements(a->'orders') r;
      if (a->>'priority')::double precision between 0 and 1 is not true
        or octet_length(a->>'on') > 1000
      then
        raise exception 'the priority is not from 0 to 1, or the name is too long'
          using errcode = '22023';
      end if;
      origins := array(select distinct unnest(texts(p->'origins')));
      perform make_origins(origins);
      if a->>'on' = 'all' then return add_copies(p); end if;
      is_news := exists (select from origin o where o.text = any(origins)
        and not exists (select from transfer where state = 0 and origin = o.id
          and on_label = coalesce(a->>'on', '')));
      with added as (
        insert into transfer (origin, url, rest, on_label, priority, state, unique_key, changed)
        select o.id, r.body->>'url', r.body - 'url', coalesce(a->>'on', ''),
          (a->>'priority')::double precision, case when (a->>'isPaused')::boolean then 5 else 0 end,
          case when is_unique then unique_key(r.body->>'url', r.body->>'directory') end,
          pg_current_xact_id()
        from rows from (jsonb_array_elements(a->'orders'), jsonb_array_elements_text(p->'origins'))
          with ordinality r (body, origin, n) join origin o on o.text = r.origin
        order by r.n
        on conflict (unique_key) where unique_key is not null do nothing
        returning id)
      select coalesce(jsonb_agg(id order by id), '[]') into ids from added;
      if is_unique then
        select jsonb_agg(t.id order by r.n) into ids
          from jsonb_array_elements(a->'orders') with ordinality r (body, n)
          join transfer t on t.unique_key = unique_key(r.body->>'url', r.body->>'directory');
      end if;
      if is_news and not (a->>'isPaused')::boolean then perform wake_hosts(); end if;
      return coalesce(ids, '[]');
    end $$;
    """

  static let looking = """
    create or replace function states_of(f jsonb) returns smallint[] language sql immutable as $$
      select case when f->'states' is not null then array(
        select (array_position(state_names(), s) - 1)::smallint
        from jsonb_array_elements_text(f->'states') s) end $$;

    -- The condition of a filter without its states, as SQL.
    create or replace function condition_of(f jsonb) returns text language sql immutable as $$
      select concat_ws(' and ', 'true',
        'host = any(array(select id from host where name = ' || quote_literal(f->>'machine') || '))',
        'coalesce(home, origin) = any(array(select id from origin where reversed like '
          || quote_literal(replace(reverse(lower(f->>'host')), '_', '\\_') || '.%') || '))',
        (select string_agg('strpos(lower(concat_ws('' '', rest->>''title'', url, name)), '
          || quote_literal(lower(w)) || ') > 0', ' and ') from jsonb_array_elements_text(f->'words') w)
      ) $$;
    create or replace function whole_condition_of(f jsonb) returns text language sql immutable as $$
      select condition_of(f) || coalesce(
        ' and state = any(' || quote_literal(states_of(f)) || '::smallint[])', '') $$;

    create or replace function row_of(t transfer) returns jsonb language sql stable as $$
      select jsonb_build_object('id', t.id, 'url', t.url, 'title', t.rest->>'title',
        'directory', coalesce(t.directory, t.rest->>'directory'),
        'name', coalesce(t.name, t.rest->>'name'), 'state', state_name(t.state),
        'priority', t.priority, 'machine', (select name from host where id = t.host),
        'progress', case when t.state in (1, 2, 5) then
          (select body::text from progress where id = t.id) end,
        'byteCount', t.byte_count, 'failure', t.failure::text, 'createdAt', since_1970(t.created_at),
        'finishedAt', since_1970(t.finished_at), 'on', nullif(t.on_label, ''),
        'check', t.checked::text) $$;

    -- In the order of the ids.
    create or replace function rows_of(ids bigint[]) returns jsonb language sql stable as $$
      select coalesce(jsonb_agg(row_of(t) order by x.n), '[]')
      from unnest(ids) with ordinality x (id, n) join transfer t on t.id = x.id $$;
    create or replace function rows_by_id(p jsonb) returns jsonb \(Schema.open) as $$
    begin
      return rows_of(array(select i::bigint from jsonb_array_elements_text(p) i order by i::bigint));
    end $$;

    create or replace function ids_of(f jsonb) returns bigint[] language plpgsql as $$
    declare ids bigint[];
    begin
      execute 'select array(select id from transfer where ' || whole_condition_of(f)
        || ' order by id)' into ids;
      return ids;
    end $$;
    create or replace function matching(p jsonb) returns jsonb \(Schema.open) as $$
    begin return to_jsonb(ids_of(p)); end $$;

    -- Transactions become visible in any order. Those before the oldest one that is not over at the
    -- mark were visible then, so all others are looked at again.
    create or replace function changes(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      mark xid8 := pg_snapshot_xmin(pg_current_snapshot()); since xid8 := (p->>'since')::xid8;
      most integer := (p->>'countMax')::integer; ids bigint[]; gone bigint[];
    begin
      if since is not null then
        ids := array(select id from transfer where changed >= since order by changed limit most + 1);
        ids := array(select unnest(ids) union select g.id from progress g where g.changed >= since);
        gone := array(select id from removed where changed >= since limit most + 1);
      end if;
      return jsonb_build_object('rows', rows_of(ids[1:most]), 'removed', to_jsonb(
        coalesce(gone[1:most], '{}')), 'mark', mark::text::bigint, 'isIncomplete', coalesce(
          cardinality(ids) > most or cardinality(gone) > most
          or since <= (select forgotten from meta where forgotten > '0'), false));
    end $$;
    """

  static let window = """
    -- Up to `most` ids in one direction of the order of the queue, after an id and `skip` more.
    create or replace function page(
      f jsonb, is_up boolean, after bigint, skip bigint, most bigint) returns bigint[]
    language plpgsql as $$
    declare
      ids bigint[]; direction text := case when is_up then 'asc' else 'desc' end;
      tail text := format('%s and id %s %s order by id %s limit ', condition_of(f),
        case when is_up then '>' else '<' end, after, direction);
    begin
      -- The index has an order for each state.
      execute case when f ? 'states' then format('select array(select t.id from unnest($1) s
          cross join lateral (select id from transfer where state = s and %s) t
          order by t.id %s offset %s limit %s)', tail || skip + most, direction, skip, most)
        else format('select array(select id from transfer where %s offset %s)', tail || most, skip) end
        into ids using states_of(f);
      return ids;
    end $$;

    -- Exact without conditions on the rows themselves, and otherwise not above a limit.
    create or replace function match_count(f jsonb) returns bigint language plpgsql as $$
    declare n bigint; states smallint[] := states_of(f);
    begin
      if condition_of(f) = 'true' then
        return coalesce((select sum(count) from tally where states is null or state = any(states)), 0);
      end if;
      execute 'select count(*) from (select 1 from transfer where ' || whole_condition_of(f)
        || ' limit 100001) t' into n;
      return n;
    end $$;

    create or replace function tally_now() returns jsonb language sql stable as $$
      select jsonb_build_object(
        'counts', (select coalesce(jsonb_object_agg(state_name(state), n), '{}') from (
          select state, sum(count) as n from tally group by state having sum(count) > 0) t),
        'bytesPerSecond', (select coalesce(sum(bytes_per_second), 0) from host
          where left_at is null and alive_until > now()),
        'limitBytesPerSecond', (select limit_bytes from meta)) $$;

    create or replace function sort_of(key text) returns text language sql immutable as $$
      select case key when 'title' then 'lower(coalesce(rest->>''title'', name, url))'
        when 'state' then 'state' when 'size' then 'byte_count'
        when 'host' then '(select text from origin o where o.id = coalesce(home, origin))'
        when 'machine' then '(select name from host h where h.id = t.host)'
        when 'finishedAt' then 'finished_at' when 'priority' then 'priority' end $$;

    -- The ids from an index on: from the nearest of a known row, the beginning and the end.
    create or replace function page_at(
      f jsonb, is_up boolean, first bigint, most bigint, total bigint, hint jsonb)
    returns bigint[] language plpgsql as $$
    declare
      step bigint := case when is_up then 1 else -1 end; distance bigint := first - (hint->>'index')::bigint;
      low bigint := case when is_up then 0 else 9223372036854775807 end;
      high bigint := case when is_up then 9223372036854775807 else 0 end; begun bigint;
      is_whole boolean := condition_of(f) = 'true';
    begin
      if distance >= 0 and distance < first then
        return page(f, is_up, (hint->>'id')::bigint - step, distance, most);
      elsif distance < 0 and -distance < first then
        begun := (page(f, not is_up, (hint->>'id')::bigint, -distance - 1, 1))[1];
      elsif first > total / 2 and is_whole then
        begun := (page(f, not is_up, high, total - 1 - first, 1))[1];
      else
        return page(f, is_up, low, first, most);
      end if;
      return page(f, is_up, coalesce(begun - step, low), 0, most);
    end $$;

    -- The number of rows that match from one id up to another.
    create or replace function count_between(f jsonb, low bigint, high bigint) returns bigint
    language plpgsql as $$
    declare n bigint;
    begin
      execute format('select count(*) from transfer where %s and id >= %s and id < %s',
        whole_condition_of(f), low, high) into n;
      return n;
    end $$;

    create or replace function index_of(
      f jsonb, is_up boolean, anchor bigint, total bigint, hint jsonb)
    returns bigint language plpgsql as $$
    declare known bigint := (hint->>'id')::bigint; before bigint;
    begin
      if count_between(f, anchor, anchor + 1) = 0 then return null; end if;
      if known is not null then
        before := count_between(f, least(known, anchor), greatest(known, anchor));
        -- The greater one is not counted, so the number is their distance.
        return (hint->>'index')::bigint + case when (anchor > known) = is_up then before else -before end;
      end if;
      before := count_between(f, 0, anchor);
      return case when is_up then before else total - 1 - before end;
    end $$;

    create or replace function screenful(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      f jsonb := p->'filter'; is_up boolean := not (p->>'isDescending')::boolean;
      total bigint := match_count(f); most bigint := (p->>'count')::bigint;
      first bigint := greatest(0, least((p->>'first')::bigint, total - 1));
      anchor bigint := (p->>'anchor')::bigint; place bigint; ids bigint[];
    begin
      if p->>'key' <> 'queue' and total <= 200000 then
        execute format('select array(select id from transfer t where %s order by %s %s nulls last, id)',
          whole_condition_of(f), sort_of(p->>'key'), case when is_up then 'asc' else 'desc' end)
          into ids;
        place := array_position(ids, anchor) - 1;
        ids := ids[first + 1:first + most];
      else
        ids := page_at(f, is_up, first, most, total, p->'hint');
        if anchor is not null then
          place := coalesce(first + array_position(ids, anchor) - 1,
            index_of(f, is_up, anchor, total, p->'hint'));
        end if;
      end if;
      return jsonb_build_object('first', first, 'matchingCount', total, 'rows', rows_of(ids),
        'anchorIndex', place, 'tally', tally_now());
    end $$;
    """

  static let control = """
    -- What each verb can change: the states, from `queued` on. Where nothing is to be done, it is done.
    create or replace function apply_verb(verb text, ids bigint[]) returns setof bigint
    language plpgsql as $$
    begin
      if verb = 'remove' then
        return query with gone as (
            delete from transfer where id = any(ids) and state <> 2 returning transfer.id),
          noted as (insert into removed (id, changed) select id, pg_current_xact_id() from gone)
          select id from gone;
        with old as (
          -- About as many at once; one transaction may have removed more.
          delete from removed where at < now() - interval '1 hour' and changed <= coalesce((
            select changed from removed order by changed offset 1000 limit 1), pg_current_xact_id())
          returning changed)
        update meta set forgotten = o.changed from (select max(changed::text::bigint)::text::xid8
          as changed from old) o where o.changed > forgotten;
      else
        return query update transfer t set changed = pg_current_xact_id(),
            state = case verb when 'stop' then 6 when 'pause' then 5
              else case when t.state = 5 and t.host is not null then 1 else 0 end end,
            host = case when verb = 'stop' or t.state = 4 then null else t.host end,
            -- A new epoch rejects late results of the previous host.
            epoch = t.epoch + case when verb = 'stop' or t.state in (4, 6) then 1 else 0 end,
            failure = null, finished_at = null, tries = 0
          where t.id = any(ids) and t.state + 0 = any(case verb when 'start' then '{4,5,6}'::smallint[]
            when 'pause' then '{0,1}' else '{0,1,4,5}' end) returning t.id;
      end if;
      if verb in ('stop', 'remove') then
        delete from progress g where g.id = any(ids) and not exists (
          select from transfer t where t.id = g.id and t.state + 0 in (1, 2));
      end if;
    end $$;

    create or replace function control(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      verb text := p->>'verb'; ids bigint[]; applied bigint[]; known bigint[]; done smallint[];
      f jsonb := p->'filter'; can smallint[]; groups bigint[];
    begin
      perform take_back(0);
      if p->'ids' is null then
        -- Those that it can change, and those that are being placed.
        can := case verb when 'start' then '{4,5,6}'::smallint[] when 'pause' then '{0,1,2}'
          when 'stop' then '{0,1,2,4,5}' end;
        execute 'select array(select id from transfer where ' || whole_condition_of(f)
          || ' and ($1 is null or state = any($1)) order by id)' into ids using can;
      else
        ids := array(select i::bigint from jsonb_array_elements_text(p->'ids') i);
      end if;
      if jsonb_array_length(p->'except') > 0 then
        ids := array(select unnest(ids) except
          select i::bigint from jsonb_array_elements_text(p->'except') i order by 1);
      end if;
      known := array(select id from transfer where id = any(ids));
      groups := array(select copies from transfer where id = any(ids) and copies is not null);
      applied := array(select apply_verb(verb, ids));
      perform settle_and_wake(groups);
      -- What is so already counts as done.
      done := case verb when 'start' then '{0,1}'::smallint[] when 'pause' then '{5}'
        when 'stop' then '{6}' else '{}' end;
      applied := array(select unnest(applied) union
        select id from transfer where id = any(ids) and state + 0 = any(done) order by 1);
      if verb = 'start' and cardinality(applied) > 0 then perform wake_hosts(); end if;
      return jsonb_build_object('applied', to_jsonb(applied),
        'refused', to_jsonb(array(select unnest(known) except select unnest(applied) order by 1)),
        'unknown', to_jsonb(array(select unnest(ids) except select unnest(known) order by 1)));
    end $$;
    """

  static let fleet = """
    create or replace function hosts(p jsonb) returns jsonb \(Schema.open) as $$
    begin
      return (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name,
          'labels', labels, 'take', take, 'version', version, 'aliveForMilliseconds',
          (extract(epoch from alive_until - now()) * 1000)::bigint, 'isDraining', is_draining,
          'claimedCount', (
            select count(*) from transfer t where t.host = h.id and state in (1, 2, 5)),
          'completedCount', completed, 'bytesPerSecond', bytes_per_second, 'freeBytes', free_bytes,
          'shareCount', (select count(*) from share s where s.host = h.id)) order by name), '[]')
        from host h where left_at is null);
    end $$;

    -- Those that are held, that users have changed, and of the others with work the first ones.
    create or replace function origins(p jsonb) returns jsonb \(Schema.open) as $$
    declare ids bigint[]; at bigint := 0;
    begin
      ids := array((select origin from share where host is not null limit 1000) union
        (select id from origin where shares <> 1 or connections is not null limit 1000));
      for i in 1..200 loop
        select origin into at from transfer where state = 0 and origin > at order by origin limit 1;
        exit when at is null;
        ids := ids || at;
      end loop;
      return (select coalesce(jsonb_agg(jsonb_build_object('origin', text, 'shares', shares,
          'connections', connections, 'queuedCount', (select count(*) from (
            select 1 from transfer where state = 0 and origin = o.id limit 100001) t),
          'machines', array(select h.name from share s join host h on h.id = s.host
            where s.origin = o.id order by s.slot),
          'opensInMilliseconds', milliseconds(opens_at)) order by text), '[]')
        from origin o where id = any(ids));
    end $$;

    create or replace function set_origin(p jsonb) returns jsonb \(Schema.open) as $$
    begin
      perform make_origins(array[p->>'origin']);
      update origin set shares = least(1000, greatest(1, coalesce((p->>'shares')::integer, shares))),
        connections = nullif(coalesce((p->>'connections')::integer, connections), 0)
        where text = p->>'origin';
      perform make_origins(array[p->>'origin']);
      -- One that is held ends when its holder gives it back.
      delete from share s using origin o
        where o.text = p->>'origin' and s.origin = o.id and s.slot >= o.shares and s.host is null;
      perform wake_hosts();
      return 'true';
    end $$;

    create or replace function set_limit(p jsonb) returns jsonb \(Schema.open) as $$
    begin
      update meta set limit_bytes = nullif(greatest(0, (p->>'bytesPerSecond')::bigint), 0);
      return 'true';
    end $$;

    create or replace function drain(p jsonb) returns jsonb \(Schema.open) as $$
    begin
      update host set is_draining = (p->>'isDraining')::boolean
        where name = p->>'host' and left_at is null;
      if not found then raise exception 'the fleet has no machine %', p->>'host'; end if;
      perform settle_and_wake(copies_near(array(
        select id from host where name = p->>'host' and left_at is null), true));
      return 'true';
    end $$;

    create or replace function doctor(p jsonb) returns jsonb \(Schema.open) as $$
    declare oldest record; rows record;
    begin
      select * into oldest from (
        select age(backend_xmin) as age, extract(epoch from now() - xact_start)::bigint as seconds,
          concat_ws(' ', application_name, usename, pid) as holder from pg_stat_activity
          where backend_xmin is not null and pid <> pg_backend_pid()
        union all select age(transaction), extract(epoch from now() - prepared)::bigint,
          'prepared transaction ' || gid from pg_prepared_xacts
        union all select greatest(age(xmin), age(catalog_xmin)), null, 'replication slot ' || slot_name
          from pg_replication_slots where xmin is not null or catalog_xmin is not null) s
        order by age desc, seconds desc nulls first limit 1;
      select n_live_tup as live, n_dead_tup as dead into rows from pg_stat_user_tables
        where relid = 'transfer'::regclass;
      return jsonb_build_object('schemaVersion', (select version from meta),
        'serverVersion', current_setting('server_version'),
        'oldestSnapshotSeconds', greatest(0, coalesce(oldest.seconds, 0)),
        'oldestSnapshotHolder', oldest.holder,
        'deadRowCount', coalesce(rows.dead, 0), 'liveRowCount', coalesce(rows.live, 0),
        'connectionCount', (select count(*) from pg_stat_activity where backend_type = 'client backend'),
        'connectionMax', current_setting('max_connections')::integer,
        'now', since_1970(clock_timestamp()), 'hosts', hosts('{}'),
        'orphanedCount', (select count(*) from transfer where state in (1, 2, 5) and host in (
          select id from host where is_holding and alive_until < now())),
        'isReplica', pg_is_in_recovery(), 'commitsAreDurable', current_setting('fsync') = 'on'
          and current_setting('synchronous_commit') <> 'off');
    end $$;
    """
}
