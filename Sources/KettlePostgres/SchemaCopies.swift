/// A transfer for all machines: a group of rows, one copy for each of them, with its name as label.
///
/// A queued copy may be claimed at its `origin`, like any other row. That is
/// - `home`, the origin of its URL, for at most one copy of a group,
/// - the endpoint of a machine that has completed its copy and shares files, its `supplier`, or
/// - 0, which has no share and so is never claimed, while it waits for one of both.
///
/// Endpoints are origins with shares of their own, so that a claim there needs none of the home.
/// Only `settle` decides. A copy that it moves gets a new epoch, which ends earlier claims of it.
enum SchemaCopies {
  static let deciding = """
    -- The machines of a group that have a copy to give, and where. Rows are found by their group, and
    -- by no other index: hence the sums.
    create or replace function suppliers(of_group bigint) returns table (host bigint, origin bigint)
    language sql stable as $$
      select h.id, o.id from transfer t
      join host h on h.id = t.host + 0 and h.left_at is null and h.alive_until > now()
      join origin o on o.text = 'http://' || h.share_address
      where t.copies = of_group and t.state + 0 = 3 and t.sha256 is not null $$;

    -- Others must notice when the host is gone: it gives files, or is the one that is to fetch some.
    create or replace function is_awaited(h host) returns boolean language sql stable as $$
      select exists (select from transfer where supplier = h.id and state in (0, 1))
        or exists (select from transfer where copies is not null and state = 0
          and on_label = h.name and origin > 0 and supplier is null) $$;

    -- The groups that wait for one of these hosts; of hosts that are back, those with a copy for one
    -- as well. Not more than are settled within a few seconds, and other ones the next time.
    create or replace function copies_near(hosts bigint[], are_back boolean) returns bigint[]
    language sql volatile as $$
      select array(select copies from (
        select t.copies from host h join transfer t on t.on_label = h.name
          where h.id = any(hosts) and t.copies is not null and t.state = 0
            and (are_back or (t.origin > 0 and t.supplier is null))
        union select copies from transfer where supplier = any(hosts) and state in (0, 1)) g
        order by random() limit 2000) $$;

    -- What is fetched from a machine that gives nothing any more is queued again. A beat does not
    -- name it then, and its host drops it.
    create or replace function requeue_unsupplied(of_group bigint) returns void language sql as $$
      with lost as (
        update transfer set state = 0, host = null, epoch = epoch + 1, tries = tries + 1,
          changed = pg_current_xact_id()
        where copies = of_group and state + 0 = 1 and supplier is not null
          and supplier not in (select host from suppliers(of_group)) returning id)
      delete from progress where id in (select id from lost) $$;

    -- The copy that may be fetched from its home: one that is, or the best of those for which no
    -- machine has a file, or which got it wrong twice.
    create or replace function home_copy(of_group bigint) returns bigint language sql stable as $$
      select t.id from transfer t left join host h on h.name = t.on_label and h.left_at is null
      where t.copies = of_group and case
        when t.state in (1, 2) then t.supplier is null
        else t.state = 0 and (t.tries > 1 or not exists (select from suppliers(of_group))) end
      order by t.state + 0 desc, coalesce(h.alive_until > now() and not h.is_draining, false) desc,
        h.share_address is null, t.origin = t.home desc, t.id limit 1 $$;

    create or replace function settle(groups bigint[]) returns void language plpgsql as $$
    declare g bigint; first bigint;
    begin
      for g in select distinct x from unnest(groups) x where x is not null order by x loop
        -- Each statement that follows sees what the last one did here.
        perform pg_advisory_xact_lock(7311885, (g % 2147483647)::integer);
        perform requeue_unsupplied(g);
        first := home_copy(g);
        update transfer t set origin = n.origin, supplier = n.supplier, epoch = t.epoch + 1,
            changed = pg_current_xact_id()
          from (select q.id, s.host as supplier,
              coalesce(s.origin, case when q.id = first then q.home else 0 end) as origin
            from transfer q left join lateral (select * from suppliers(g) p where q.tries < 2
              order by hashint8(p.host # q.id) limit 1) s on true
            where q.copies = g and q.state + 0 = 0) n
          where t.id = n.id and t.state + 0 = 0
            and (t.origin, t.supplier) is distinct from (n.origin, n.supplier);
        update host set is_holding = true where id in (
          select id from host h where not is_holding and left_at is null and alive_until > now()
            and id in (select host from suppliers(g) union all
              select w.id from transfer t join host w on w.name = t.on_label where t.id = first)
          for no key update skip locked);
      end loop;
    end $$;
    create or replace function settle_and_wake(groups bigint[]) returns void language plpgsql as $$
    begin
      if cardinality(groups) > 0 then
        perform settle(groups);
        perform wake_hosts();
      end if;
    end $$;
    """

  static let adding = """
    -- An endpoint serves a few machines at once; each of them serves others afterwards.
    create or replace function make_endpoint(address text) returns void language plpgsql as $$
    begin
      perform make_origins(array['http://' || address]);
      update origin set shares = 4 where text = 'http://' || address and shares = 1;
      perform make_origins(array['http://' || address]);
    end $$;

    -- An order as one for each living host that downloads.
    create or replace function add_copies(p jsonb) returns jsonb language plpgsql as $$
    declare a jsonb := p->'addition'; ids jsonb; groups bigint[];
    begin
      if not exists (select from host where left_at is null and take > 0 and not is_draining
          and alive_until > now()) then
        raise exception 'no machine of the fleet that downloads is alive';
      end if;
      with orders as materialized (
        select r.n, r.body, o.id as home, nextval('copies') as copies
        from rows from (jsonb_array_elements(a->'orders'), jsonb_array_elements_text(p->'origins'))
          with ordinality r (body, origin, n) join origin o on o.text = r.origin),
      added as (
        insert into transfer (origin, home, copies, on_label, url, rest, priority, state, changed)
        select 0, r.home, r.copies, h.name, r.body->>'url', r.body - 'url',
          (a->>'priority')::double precision, case when (a->>'isPaused')::boolean then 5 else 0 end,
          pg_current_xact_id()
        from orders r cross join host h
        where h.left_at is null and h.take > 0 and not h.is_draining and h.alive_until > now()
        order by r.n, h.id returning id, copies)
      select jsonb_agg(id order by id), array_agg(distinct copies) into ids, groups from added;
      perform settle_and_wake(groups);
      return coalesce(ids, '[]');
    end $$;

    -- What a claim of a copy orders: at its home what was asked for, and of a machine the file that
    -- this has, which its digest proves. No header of the order goes to a machine.
    create or replace function copy_order(t transfer, origin text) returns jsonb
    language sql stable as $$
      select t.rest || case when t.supplier is null
        then jsonb_build_object('url', t.url, 'copy', 'fromOrigin')
        else (select jsonb_build_object('copy', 'fromMachine',
          'url', copy_order.origin || '/fleet/' || c.id,
          'name', coalesce(t.rest->'name', to_jsonb(c.name)),
          'headers', jsonb_build_array(jsonb_build_object('name', 'Authorization', 'value',
            'Bearer ' || (select share_secret from meta))),
          'checksum', jsonb_build_object('algorithm', 'sha256', 'hex', c.sha256))
          from transfer c where c.copies = t.copies and c.host + 0 = t.supplier and c.state + 0 = 3
          order by c.id limit 1)
        end $$;
    """
}
