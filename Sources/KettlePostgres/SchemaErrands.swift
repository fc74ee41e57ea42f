/// Errands: published files that their hosts are to compare with what was downloaded, for people
/// who asked. A host hears of them with the answers to its beats and claims, and reports with a
/// beat.
///
/// A damaged file that is to be repaired is queued again for its host alone, to replace the file.
/// Its errand stays until the file is published again and was compared once more.
enum SchemaErrands {
  static let ofHosts = """
    -- A few at a time, so that the answer stays small.
    create or replace function errands_of(h bigint) returns jsonb language sql stable as $$
      select coalesce(jsonb_agg(jsonb_build_object(
        'key', jsonb_build_object('id', t.id, 'epoch', t.epoch), 'name', t.name,
        'directory', t.directory, 'byteCount', t.byte_count, 'proof', t.proof::text)), '[]')
      from (select t.* from errand e join transfer t on t.id = e.id
        where t.host + 0 = h and t.state + 0 = 3 and t.name is not null and t.directory is not null
          and t.byte_count is not null
        order by e.id limit 4) t $$;

    create or replace function fetch_again(t transfer, h host) returns void language plpgsql as $$
    begin
      update transfer set state = 0, host = null, epoch = epoch + 1, on_label = h.name, tries = 0,
          sha256 = null, failure = null, finished_at = null, changed = pg_current_xact_id(),
          rest = (rest || jsonb_build_object(
            'name', t.name, 'directory', t.directory, 'onConflict', 'replace')) - 'folder'
        where id = t.id;
      perform settle(array[t.copies]);
      perform wake_hosts();
    end $$;

    create or replace function note_findings(h host, findings jsonb) returns void language plpgsql
    as $$
    declare r record; e errand; t transfer;
    begin
      for r in select (f.key->>'id')::bigint as id, (f.key->>'epoch')::bigint as epoch, small(f."check", 8192) as found
          from jsonb_to_recordset(findings) f (key jsonb, "check" jsonb) order by 1 loop
        select * into e from errand where id = r.id for update;
        update transfer set changed = pg_current_xact_id(),
            checked = r.found || jsonb_build_object('at', since_1970(now()))
              -- A file that was repaired before and is damaged again is not repaired once more.
              || case when e.is_repeated then jsonb_build_object('repair', r.id) else '{}' end
          where id = r.id and epoch = r.epoch and transfer.host + 0 = h.id and state + 0 = 3
          returning * into t;
        continue when t.id is null;
        if not e.is_repeated and (e.consequence > 0 and r.found->>'finding' = 'damaged'
            or e.consequence > 1 and r.found->>'finding' = 'edited') then
          update errand set is_repeated = true where id = r.id;
          perform fetch_again(t, h);
        else
          delete from errand where id = r.id;
        end if;
      end loop;
    end $$;
    """

  static let ofPeople = """
    -- Whether the last finding answers a request.
    create or replace function is_answered(t transfer, since bigint, consequence integer)
    returns boolean language sql immutable as $$
      select coalesce((t.checked->>'at')::bigint >= since and (
        t.checked ? 'repair' or case t.checked->>'finding' when 'damaged' then consequence < 1
          when 'edited' then consequence < 2 else true end), false) $$;

    create or replace function compare(p jsonb) returns jsonb \(Schema.open) as $$
    declare
      ids bigint[] := array(select i::bigint from jsonb_array_elements_text(p->'ids') i);
      since bigint := coalesce((p->>'since')::bigint,
        since_1970(now()) - (p->>'ageMaxMilliseconds')::bigint);
      files jsonb; was_asked boolean;
    begin
      with asked as (
        insert into errand (id, consequence)
          select t.id, (p->>'consequence')::integer from transfer t join host h on h.id = t.host + 0
          where t.id = any(ids) and t.state + 0 = 3 and h.left_at is null and h.alive_until > now()
            and not is_answered(t, since, (p->>'consequence')::integer) order by t.id
          on conflict (id) do update set consequence = excluded.consequence
            where errand.consequence < excluded.consequence
          returning id)
      select exists (select from asked) into was_asked;
      if was_asked then perform wake_hosts(); end if;
      files := (select jsonb_agg(case when t.id is not null then jsonb_build_object(
          'state', state_name(t.state), 'isAsked', e.id is not null, 'check', t.checked::text,
          'failure', t.failure::text, 'machine', h.name,
          'isAlive', coalesce(h.alive_until > now(), false)) end order by x.n)
        from unnest(ids) with ordinality x (id, n) left join transfer t on t.id = x.id
        left join host h on h.id = t.host and h.left_at is null left join errand e on e.id = x.id);
      -- Deletes errands that no host can perform, and those that are older than a day.
      delete from errand e using transfer t left join host h on h.id = t.host + 0
        where e.id = any(ids) and t.id = e.id and (t.state in (4, 6) or t.state + 0 = 3
          and (h.id is null or h.left_at is not null or h.alive_until < now()));
      delete from errand where asked_at < now() - interval '1 day';
      return jsonb_build_object('since', since, 'files', coalesce(files, '[]'));
    end $$;
    """
}
