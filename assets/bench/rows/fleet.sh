# A fleet's queue: how fast hosts claim and finish, what a screenful of a long queue takes, and how
# often an idle host asks. Needs PostgreSQL; a host is here a session that calls what a service calls.
#
#     KETTLE_BENCH_FLEET_ROWS   how long the queue of the screenful is, 10000000
row=fleet
fleet_rows=${KETTLE_BENCH_FLEET_ROWS:-10000000}
fleet_seconds=20
postgres=$(find /usr/lib/postgresql -name initdb 2>/dev/null | sort | tail -n 1)
[ -n "$postgres" ] || fail 'PostgreSQL is not installed'
postgres=${postgres%/initdb}
database=$world/database
fleet_address="host=$database user=fleet dbname=downloads"

# as_postgres COMMAND...: PostgreSQL refuses root.
as_postgres() {
  if [ "$(id -u)" -eq 0 ]; then
    (cd / && setpriv --reuid=postgres --regid=nogroup --clear-groups "$@")
  else
    "$@"
  fi
}

fleet_sql() { "$postgres/psql" -h "$database" -U fleet -d downloads -qtAX "$@"; }

chmod 755 "$world"
mkdir "$database"
[ "$(id -u)" -ne 0 ] || chown postgres "$database"
as_postgres "$postgres/initdb" -D "$database/data" -A trust -U fleet >/dev/null
as_postgres "$postgres/pg_ctl" -D "$database/data" -w -l "$database/log" \
  -o "-k $database -c listen_addresses= -c max_wal_size=8GB -c shared_buffers=1GB" start >/dev/null
"$postgres/psql" -h "$database" -U fleet -d postgres -qc 'create database downloads'
"$build/kettle" fleet init "$fleet_address" >/dev/null

# fleet_hosts COUNT: hosts b0, b1, ..., and an empty queue.
fleet_hosts() {
  fleet_sql -c "truncate kettle.transfer, kettle.share, kettle.origin, kettle.host, kettle.progress,
      kettle.removed, kettle.tally restart identity" -c "do \$\$ begin
    for i in 0..$(($1 - 1)) loop
      perform kettle.join_host(jsonb_build_object('name', 'b' || i, 'secret', 's', 'labels',
        '[]'::jsonb, 'take', 100000, 'version', 'bench'));
    end loop; end \$\$" >/dev/null
}

# fleet_fill COUNT ORIGINS
fleet_fill() {
  fleet_sql -c "insert into kettle.origin (text) select 'https://h' || i || '.example'
      from generate_series(1, $2) i" \
    -c "insert into kettle.share (origin, slot) select id, 0 from kettle.origin" \
    -c "insert into kettle.transfer (origin, url, rest, priority, state, changed)
      select 1 + i % $2, 'https://h' || (1 + i % $2) || '.example/' || i,
        '{\"headers\": [], \"onConflict\": \"rename\"}', 0.5, 0, pg_current_xact_id()
      from generate_series(1, $1) i" -c 'vacuum analyze' >/dev/null
}

# Two transactions, as of a host that has a hundred files.
fleet_sql -c "create procedure claim_and_finish(number integer) language plpgsql as \$\$
declare host jsonb; got jsonb;
begin
  select jsonb_build_object('host', id, 'start', start) into host
    from kettle.host where name = 'b' || number;
  got := kettle.claim(jsonb_build_object('key', host, 'labels', '[]'::jsonb, 'count', 100));
  commit;
  perform kettle.finish(jsonb_build_object('key', host, 'ends', (
    select coalesce(jsonb_agg(jsonb_build_object('claim', c->'key', 'outcome', jsonb_build_object(
      'kind', 'published', 'name', c->'key'->>'id', 'directory', '/d', 'byteCount', 1))), '[]')
    from jsonb_array_elements(got->'claims') c)));
  commit;
end \$\$"
echo 'call claim_and_finish(:client_id);' >"$world/claims.sql"

for fleet_count in 1 2 4 6; do
  fleet_hosts "$fleet_count"
  fleet_fill 600000 600
  "$postgres/pgbench" -h "$database" -U fleet -n -c "$fleet_count" -j 2 -T "$fleet_seconds" \
    -f "$world/claims.sql" downloads >"$world/pgbench" 2>&1 || fail "$(cat "$world/pgbench")"
  done_count=$(fleet_sql -c 'select count(*) from kettle.transfer where state = 3')
  note "$row" "$fleet_count hosts: $((done_count / fleet_seconds)) claims and finishes a second"
done

fleet_hosts 1
fleet_fill "$fleet_rows" 1000
# fleet_screen NAME REQUEST: the median of 21 in milliseconds.
fleet_screen() {
  i=0
  : >"$world/screen.sql"
  while [ $i -lt 21 ]; do
    printf "select length(kettle.screenful('%s'::jsonb)::text);\n" "$2" >>"$world/screen.sql"
    i=$((i + 1))
  done
  fleet_sql -c '\timing on' -f "$world/screen.sql" | awk '/^Time:/ { print $2 }' | sort -n |
    sed -n 11p
}
window='"filter":{"words":[]},"key":"queue","isDescending":false,"count":50'
verdict "$row" "the first 50 of $fleet_rows rows" \
  "$(fleet_screen first "{$window,\"first\":0}")" 50 ms
verdict "$row" "the last 50 of $fleet_rows rows" \
  "$(fleet_screen last "{$window,\"first\":$((fleet_rows - 50))}")" 50 ms
verdict "$row" 'the next 50 in the middle' \
  "$(fleet_screen middle "{$window,\"first\":$((fleet_rows / 2)),\"hint\":{\"id\":$((fleet_rows / 2 - 39)),\"index\":$((fleet_rows / 2 - 40))}}")" \
  50 ms

# An idle host. The sessions of this row call no prepared function.
fleet_hosts 0
fleet_sql -c "alter database downloads set log_statement = 'all'"
"$build/kettle" fleet join "$fleet_address" --name idle --root "$world/out" >/dev/null
sleep 5
: >"$database/log"
sleep 60
verdict "$row" 'questions of an idle host in ten seconds' \
  "$(grep -c 'execute ' "$database/log" | awk '{ print $1 / 6 }')" 1 ''
"$build/kettle" fleet leave >/dev/null
as_postgres "$postgres/pg_ctl" -D "$database/data" -m immediate stop >/dev/null
rm -rf "$database"
