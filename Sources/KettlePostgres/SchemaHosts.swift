/// The functions that hosts call, and what they share.
///
/// Time is that of the database alone. A host whose lease is over keeps what it has until another
/// one looks (`take_back`), so that a short silence costs nothing.
enum SchemaHosts {
  static let leases = """
    create or replace function lease_end() returns timestamptz language sql stable as $$
      select now() + lease_ms * interval '1 millisecond' from meta $$;

    -- The host of a key, whose row is locked. Ends with an error if that start is not the last one.
    create or replace function host_of(key jsonb) returns host language plpgsql as $$
    declare h host;
    begin
      select * into h from host where id = (key->>'host')::bigint and left_at is null
        for no key update;
      if h.id is null or h.start <> (key->>'start')::bigint then
        raise exception 'another service has joined under this name' using errcode = 'KF001';
      end if;
      return h;
    end $$;

    -- Takes everything from hosts whose lease is over. What a user has paused stays paused.
    create or replace function give_back(hosts bigint[]) returns void language plpgsql as $$
    declare groups bigint[]; near bigint[];
    begin
      update host set is_holding = false where id = any(hosts);
      update share set host = null, next_host = null where host = any(hosts);
      with given as (
        update transfer set state = case state when 5 then 5 else 0 end, host = null,
          changed = pg_current_xact_id() where host = any(hosts) and state in (1, 2, 5)
        returning id, copies),
      gone as (delete from progress where id in (select id from given))
      select array_agg(distinct copies) into groups from given where copies is not null;
      near := copies_near(hosts, false);
      perform settle(groups || near);
      -- The next one who looks goes on.
      if cardinality(near) = 2000 then update host set is_holding = true where id = any(hosts); end if;
    end $$;
    create or replace function take_back(but bigint) returns void language plpgsql as $$
    declare gone bigint[];
    begin
      select array_agg(id) into gone from (
        select id from host where is_holding and alive_until < now() and id <> but
        order by alive_until limit 100 for update skip locked) h;
      if gone is not null then perform give_back(gone); end if;
    end $$;

    create or replace function join_host(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      h host;
      -- Random, so that no host can guess the key of another one.
      start bigint := ('x' || substr(md5(gen_random_uuid()::text), 1, 15))::bit(60)::bigint;
    begin
      perform refuse_large(p, 16384, 'a host');
      insert into host (name, secret, start, labels, take, version, alive_until, share_address)
      values (
        p->>'name', sha256(convert_to(p->>'secret', 'UTF8')), start, texts(p->'labels'),
        (p->>'take')::integer, p->>'version', lease_end(), p->>'shareAddress')
      on conflict (name) where left_at is null do update set start = excluded.start,
        labels = excluded.labels, take = excluded.take, version = excluded.version,
        share_address = excluded.share_address,
        alive_until = excluded.alive_until where host.secret = excluded.secret
      returning * into h;
      if h.id is null then
        raise exception 'another machine of the fleet has the name %', p->>'name'
          using errcode = '28000';
      end if;
      if h.share_address is not null then perform make_endpoint(h.share_address); end if;
      perform settle(copies_near(array[h.id], true));
      return jsonb_build_object('key', jsonb_build_object('host', h.id, 'start', h.start),
        'fleet', (select fleet from meta), 'leaseMilliseconds', (select lease_ms from meta),
        'shareSecret', (select share_secret from meta));
    end $$;

    -- Whether only this machine reaches the database.
    create or replace function is_local(p jsonb) returns jsonb \(Schema.open) as $$
    begin
      return to_jsonb((inet_server_addr() is null or inet_server_addr() <<= any('{127.0.0.0/8,::1}'))
        and string_to_array(replace(current_setting('listen_addresses'), ' ', ''), ',')
          <@ '{localhost,127.0.0.1,::1}');
    end $$;

    create or replace function leave(p jsonb) returns jsonb \(Schema.open) as $$
    declare h host;
    begin
      if exists (select from host where id = (p->>'host')::bigint and left_at is not null) then
        return 'true';
      end if;
      h := host_of(p);
      update host set left_at = now() where id = h.id;
      perform give_back(array[h.id]);
      perform wake_hosts();
      return 'true';
    end $$;

    -- Whether a row is a claim of the host, and whether it is a claim that its host has lost. They
    -- filter rows whose ids are known, so no index on states or hosts may be used for them.
    create or replace function is_claim(t transfer, h bigint) returns boolean language sql immutable
    as $$ select case when t.host = h then t.state in (1, 2, 5) end $$;
    create or replace function is_left(t transfer) returns boolean language sql immutable
    as $$ select case when t.host is null then t.state in (0, 5) end $$;

    create or replace function claim_of(t transfer, origin text) returns jsonb language sql stable
    as $$
      select jsonb_build_object('key', jsonb_build_object('id', t.id, 'epoch', t.epoch),
        'share', jsonb_build_object('origin', origin, 'slot', t.slot),
        'order', (case when t.copies is null then t.rest || jsonb_build_object('url', t.url)
          else copy_order(t, origin) end)::text, 'earlier', t.earlier::text) $$;

    create or replace function grants(h bigint) returns jsonb language sql stable as $$
      select coalesce(jsonb_agg(jsonb_build_object(
        'share', jsonb_build_object('origin', o.text, 'slot', s.slot),
        'opensInMilliseconds', milliseconds(o.opens_at),
        'connectionsMax', least(s.connections, case when o.connections is not null then
          greatest(1, o.connections / o.shares) end))), '[]')
      from share s join origin o on o.id = s.origin where s.host = h $$;

    -- The names under which orders for a host may be queued. A label that is the name of another
    -- host does not count.
    create or replace function names_of(h host, labels text[]) returns text[] language sql stable as $$
      select array(select distinct n from unnest(array['', h.name] || labels) n
        where n in ('', h.name)
          or not exists (select from host o where o.name = n and o.left_at is null)) $$;

    create or replace function has_work(of bigint, names text[]) returns boolean language sql stable
    as $$
      select exists (select from unnest(names) n cross join lateral (
        select 1 from transfer where state = 0 and origin = of and on_label = n limit 1) t) $$;
    """

  static let beat = """
    -- Gives a host back the claims that it names, unless another host has taken them.
    create or replace function take_again(h bigint, claims jsonb) returns void language plpgsql
    as $$
    begin
      update share s set host = h, next_host = null from (
          select distinct t.origin, t.slot from jsonb_to_recordset(claims) c (id bigint, epoch bigint)
          join transfer t on t.id = c.id and t.epoch = c.epoch
          where is_left(t) and t.slot is not null) w
        where s.origin = w.origin and s.slot = w.slot and s.host is null;
      update transfer t set host = h, state = case t.state when 5 then 5 else 1 end,
          changed = pg_current_xact_id()
        from jsonb_to_recordset(claims) c (id bigint, epoch bigint)
        where t.id = c.id and t.epoch = c.epoch and is_left(t)
          and exists (select from share s
            where s.origin = t.origin and s.slot = t.slot and s.host = h);
    end $$;

    -- Promises half of a host's shares to one that has nothing to do. This host claims nothing more of
    -- them, and passes each on when it releases it.
    create or replace function share_out(h host) returns void language plpgsql as $$
    declare other host; half integer; names text[];
    begin
      select * into other from host
        where hungry_until > now() and alive_until > now() and left_at is null and not is_draining
          and id <> h.id
        order by hungry_until limit 1 for no key update skip locked;
      if other.id is null then return; end if;
      half := (select count(*) from share where host = h.id and next_host is null) / 2;
      names := names_of(other, other.labels);
      update share set next_host = other.id where (origin, slot) in (
        select origin, slot from share where host = h.id and next_host is null
          and has_work(origin, names)
        order by origin, slot limit half);
      if found then update host set hungry_until = null where id = other.id; end if;
    end $$;

    create or replace function release_shares(h bigint, released jsonb) returns void
    language plpgsql as $$
    declare given record; other bigint;
    begin
      for given in
        select s.origin, s.slot, s.next_host
        from jsonb_to_recordset(released) r (origin text, slot integer)
        join origin o on o.text = r.origin
        join share s on s.origin = o.id and s.slot = r.slot and s.host = h
        where not exists (select from transfer t where t.host = h and t.state in (1, 2, 5)
          and t.origin = s.origin and t.slot = s.slot)
      loop
        other := null;
        if given.next_host is not null then
          -- Hosts that pass shares to each other at the same time must not wait for each other.
          select id into other from host
            where id = given.next_host and alive_until > now() and left_at is null
            for no key update skip locked;
          update host set is_holding = true where id = other;
          if other is not null then perform pg_notify('kettle_work', ''); end if;
        end if;
        update share set host = other, next_host = null where origin = given.origin and slot = given.slot;
      end loop;
    end $$;

    create or replace function apply_reports(h bigint, p jsonb) returns void language plpgsql as $$
    begin
      with r as (
        select o.id, (r.share->>'slot')::integer as slot, greatest(1, r."connectionsMax") as connections,
          now() + least(r."opensInMilliseconds", 86400000) * interval '1 millisecond' as opens_at
        from jsonb_to_recordset(p->'shares') r
          (share jsonb, "opensInMilliseconds" bigint, "connectionsMax" integer)
        join origin o on o.text = r.share->>'origin'
        join share s on s.origin = o.id and s.slot = (r.share->>'slot')::integer and s.host = h
        where r."connectionsMax" is not null or r."opensInMilliseconds" is not null),
      learned as (
        update share s set connections = r.connections from r
        where s.origin = r.id and s.slot = r.slot and r.connections <> coalesce(s.connections, 0))
      -- Closes all shares of the origin. Repeated reports of the same time do not extend it.
      update origin o set opens_at = r.opens_at from r
        where o.id = r.id and o.opens_at < r.opens_at - interval '1 second';
      perform release_shares(h, p->'released');
      insert into progress as g (id, body, changed)
        select t.id, r, pg_current_xact_id() from jsonb_array_elements(p->'progress') r
        join transfer t on t.id = (r->>'id')::bigint and is_claim(t, h)
        where octet_length(r::text) <= 8192
        on conflict (id) do update set body = excluded.body, changed = excluded.changed
          where g.body <> excluded.body;
    end $$;

    create or replace function beat(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      h host := host_of(p->'key');
      lease timestamptz := lease_end();
      next timestamptz;
    begin
      perform take_back(h.id);
      perform take_again(h.id, p->'claims');
      perform apply_reports(h.id, p);
      perform note_findings(h, p->'findings');
      update host set alive_until = lease,
          bytes_per_second = least(greatest((p->>'bytesPerSecond')::bigint, 0), 1::bigint << 45),
          wants_more = (p->>'wantsMore')::boolean, free_bytes = (p->>'freeBytes')::bigint,
          is_holding = exists (select from share where host = h.id)
            or exists (select from transfer where host = h.id and state in (1, 2, 5))
            or is_awaited(h)
        where id = h.id;
      if h.alive_until < now() then perform settle(copies_near(array[h.id], true)); end if;
      select min(alive_until) into next from host where is_holding and id <> h.id;
      return jsonb_build_object(
        'claims', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'key', jsonb_build_object('id', t.id, 'epoch', t.epoch),
            -- No host has the claim, and another host holds its share.
            'wish', case when t.state in (0, 5) then 'pause' else 'run' end)), '[]')
          from jsonb_to_recordset(p->'claims') c (id bigint, epoch bigint)
          join transfer t on t.id = c.id and t.epoch = c.epoch
          where is_claim(t, h.id) or is_left(t)),
        'others', (
          select coalesce(jsonb_agg(claim_of(t, o.text)), '[]')
          from transfer t join origin o on o.id = t.origin
          where t.host = h.id and t.state in (1, 2, 5) and (t.id, t.epoch) not in (
            select c.id, c.epoch from jsonb_to_recordset(p->'claims') c (id bigint, epoch bigint))),
        'shares', grants(h.id),
        'hasWork', not h.is_draining and cardinality((
          find_shares(h, names_of(h, h.labels), 1, false)).origins) > 0,
        'nextExpiryMilliseconds', case when next is not null then coalesce(milliseconds(next), 0) end,
        'limitBytesPerSecond', (select limit_bytes from meta),
        'needs', (
          select coalesce(jsonb_agg(jsonb_build_object(
            'host', id, 'bytesPerSecond', bytes_per_second, 'wantsMore', wants_more)), '[]')
          from host where left_at is null and alive_until > now()
            and (select limit_bytes from meta) is not null),
        'isDraining', h.is_draining, 'errands', errands_of(h.id));
    end $$;
    """

  static let claim = """
    do $$ begin
      create type found_shares as (
        origins bigint[], slots integer[], next timestamptz, is_blocked boolean);
    exception when duplicate_object then null; end $$;

    -- Up to `most` open shares with work for these names: those that the host holds, and free ones
    -- of origins from a random one on, which it takes if `takes`. At most 200 origins are looked at.
    -- `next` is when one that is closed or held by others may be had, and `is_blocked` whether others
    -- hold one.
    create or replace function find_shares(h host, names text[], most integer, takes boolean)
    returns found_shares language plpgsql as $$
    declare
      f found_shares; o origin; begun bigint; at bigint; seen integer := 0; wrapped boolean := false;
      free integer; ends timestamptz;
    begin
      select coalesce(array_agg(s.origin), '{}'), coalesce(array_agg(s.slot), '{}')
        into f.origins, f.slots from (
          select s.origin, s.slot from share s join origin g on g.id = s.origin
          where s.host = h.id and s.next_host is null and s.slot < g.shares and g.opens_at <= now()
            and has_work(s.origin, names) limit most) s;
      select floor(random() * max(id)) into begun from origin;
      at := begun;
      while cardinality(f.origins) < most and seen < 200 loop
        seen := seen + 1;
        select origin into at from transfer where state = 0 and origin > at order by origin limit 1;
        if at is null then
          exit when wrapped;
          wrapped := true;
          at := 0;
          continue;
        end if;
        exit when wrapped and at > begun;
        select * into o from origin where id = at;
        continue when not has_work(at, names);
        if o.opens_at > now() then
          f.next := least(f.next, o.opens_at);
          continue;
        end if;
        continue when exists (select from share where origin = at and host = h.id);
        select slot into free from share where origin = at and host is null and slot < o.shares
          order by slot limit 1 for update skip locked;
        if free is null then
          select min(alive_until) into ends from host where id in (
            select host from share where origin = at);
          f.next := least(f.next, ends);
          f.is_blocked := true;
          continue;
        end if;
        if takes then
          update share set host = h.id, next_host = null where origin = at and slot = free;
        end if;
        f.origins := f.origins || at;
        f.slots := f.slots || free;
      end loop;
      return f;
    end $$;

    -- Locks up to `most` queued transfers of an origin, but none of `but`. Labels have an order each.
    create or replace function pick(of bigint, names text[], most integer, but bigint[])
    returns bigint[] language sql as $$
      select array(select id from (
        select t.id, t.priority from unnest(names) n cross join lateral (
          select id, priority from transfer
          where state = 0 and origin = of and on_label = n and id <> all(but)
          order by priority desc, id limit most for update skip locked) t
        order by t.priority desc, t.id limit most) t) $$;

    create or replace function claim(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      h host := host_of(p->'key'); lease timestamptz := lease_end();
      names text[] := names_of(h, texts(p->'labels'));
      wanted integer := case when h.is_draining then 0 else (p->>'count')::integer end;
      f found_shares; quota integer; got bigint[]; ids bigint[] := '{}'; slots integer[] := '{}';
      claims jsonb := '[]';
    begin
      perform take_back(h.id);
      if wanted > 0 then
        perform share_out(h);
        f := find_shares(h, names, wanted, true);
        if cardinality(f.origins) = 0 then
          -- Without other work, it takes back what it has promised and not yet passed on.
          update share set next_host = null where host = h.id and next_host is not null;
          if found then f := find_shares(h, names, wanted, true); end if;
        end if;
        quota := ceil(wanted::numeric / greatest(1, cardinality(f.origins)));
        -- An even part of each, and what is missing then from the first that have more.
        for round in 1..2 loop
          for i in 1..cardinality(f.origins) loop
            exit when cardinality(ids) >= wanted;
            got := pick(f.origins[i], names, least(quota, wanted - cardinality(ids)), ids);
            ids := ids || got;
            slots := slots || array_fill(f.slots[i], array[cardinality(got)]);
            if round = 1 and cardinality(got) = 0 then
              -- Others have locked its transfers, or there were fewer than shares.
              update share s set host = null where origin = f.origins[i] and slot = f.slots[i]
                and not exists (select from transfer t where t.host = h.id and t.state in (1, 2, 5)
                  and t.origin = s.origin and t.slot = s.slot);
            end if;
          end loop;
          quota := wanted;
        end loop;
        with c as (
          -- With the time in it, a claim differs from all that were made before a backup was restored.
          update transfer t set state = 1, host = h.id, slot = x.slot,
            epoch = greatest(t.epoch + 1, since_1970(now())), changed = pg_current_xact_id()
          from unnest(ids, slots) x (id, slot) where t.id = x.id returning t.*)
        select coalesce(jsonb_agg(claim_of(c, o.text) order by c.priority desc, c.id), '[]')
          into claims from c join origin o on o.id = c.origin;
      end if;
      update host set alive_until = lease, is_holding = is_holding or cardinality(ids) > 0,
          hungry_until = case when f.is_blocked and cardinality(ids) = 0 and not exists (
            select from transfer where host = h.id and state in (1, 2, 5)) then lease end
        where id = h.id;
      return jsonb_build_object('claims', claims, 'shares', grants(h.id),
        'nextMilliseconds', case when f.next is not null then coalesce(milliseconds(f.next), 0) end,
        'errands', errands_of(h.id));
    end $$;
    """

  static let ends = """
    -- A paused claim may be placed, too: its file is complete.
    create or replace function is_open(t transfer, h bigint) returns boolean language sql immutable
    as $$ select case when t.state = 5 then t.host = h
      else t.state in (0, 1, 2) and coalesce(t.host, h) = h end $$;

    create or replace function place(p jsonb) returns jsonb \(Schema.open) as $$
    declare h host := host_of(p->'key');
    begin
      -- If this is lost with the database, the end is accepted all the same.
      set local synchronous_commit = off;
      update transfer t set state = 2, host = h.id, changed = pg_current_xact_id(),
          earlier = jsonb_build_object('host', h.id, 'epoch', t.epoch, 'name', p->>'name',
            'directory', p->>'directory', 'byteCount', (p->>'byteCount')::bigint,
            'modifiedNanoseconds', (p->>'modifiedNanoseconds')::bigint)
        where t.id = (p->'claim'->>'id')::bigint and t.epoch = (p->'claim'->>'epoch')::bigint
          and is_open(t, h.id) and t.slot is not null;
      if not found then return 'false'; end if;
      update host set is_holding = true where id = h.id and not is_holding;
      return 'true';
    end $$;

    create or replace function finish(p jsonb) returns jsonb \(Schema.open) as $$
    declare h host := host_of(p->'key'); accepted jsonb;
    begin
      with e as (
        select t.id, t.epoch, t.supplier, e.sha256, e.proof, e.outcome as o, t.supplier is not null
            and e.outcome->>'kind' = 'failed' as is_miss,
          case e.outcome->>'kind' when 'published' then 3
            when 'failed' then case when t.supplier is null then 4 else 0 end else 0 end as state
        from jsonb_to_recordset(p->'ends') e (claim jsonb, outcome jsonb, sha256 text, proof jsonb)
        join transfer t on t.id = (e.claim->>'id')::bigint
          and t.epoch = (e.claim->>'epoch')::bigint),
      again as (
        select t.id, t.epoch from e join transfer t on t.id = e.id and t.epoch = e.epoch
        where case when t.state in (3, 4) then t.state = e.state and t.host = h.id end),
      ended as (
        update transfer t set
          state = case when e.state = 0 and t.state = 5 then 5 else e.state end,
          host = case when e.state > 0 then h.id end, changed = pg_current_xact_id(),
          finished_at = case when e.state > 0 then now() end,
          name = coalesce(left(e.o->>'name', 1024), t.name),
          directory = coalesce(left(e.o->>'directory', 8192), t.directory),
          byte_count = coalesce((e.o->>'byteCount')::bigint, t.byte_count),
          failure = case when not e.is_miss then small(e.o->'failure', 8192) end,
          tries = t.tries + e.is_miss::integer,
          sha256 = left(e.sha256, 64), proof = small(e.proof, 1500000),
          checked = case when e.state <> 3 then t.checked end, earlier = case when e.state <> 3 then t.earlier end
        from e where t.id = e.id and t.epoch = e.epoch and is_open(t, h.id)
        returning t.id, t.epoch, t.state),
      gone as (delete from progress where id in (select id from ended)),
      counted as (
        update host set completed = completed + n
        from (select count(*) as n from ended where state = 3) c where id = h.id and n > 0)
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'epoch', epoch)), '[]') into accepted
        from (select id, epoch from ended union select id, epoch from again) a;
      perform settle_and_wake(array(select t.copies from jsonb_to_recordset(accepted) a (id bigint)
        join transfer t on t.id = a.id where t.copies is not null));
      return jsonb_build_object('accepted', accepted, 'elsewhere', (
        select coalesce(jsonb_agg(e.claim), '[]')
        from jsonb_to_recordset(p->'ends') e (claim jsonb, outcome jsonb)
        join transfer t on t.id = (e.claim->>'id')::bigint
        where case when e.outcome->>'kind' = 'published' and t.state = 3 then
          t.epoch <> (e.claim->>'epoch')::bigint and (t.name, t.directory)
            is distinct from (e.outcome->>'name', e.outcome->>'directory') end));
    end $$;
    """
}
