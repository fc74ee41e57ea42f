# Zenodo: zenodo_get and Kettle download a record from zenodo.py.
mkdir -p "$home/record/owner"
for number in 1 2 3 4 5 6; do head -c 2000000 /dev/urandom >"$home/record/part $number & ünï+.bin"; done
head -c 3000 /dev/urandom >"$home/record/owner/name-1.0.zip"
: >"$home/record/part none.txt"

# zenodo_get decodes URLs before it requests them, so it cannot ask for this one.
cp -R "$home/record" "$home/record-at-server"
head -c 3000 /dev/urandom >"$home/record-at-server/ünï#%41.bin"
port=$(free_port)
start zenodo.py "$port" python3 "$here/zenodo.py" "$port" "$home/record-at-server"
export KETTLE_ZENODO_ENDPOINT="http://127.0.0.1:$port"

if install zenodo_get zenodo_get; then
  "$python" "$here/zenodo_client.py" "$port" --no-proxy -R 0 -o "$home/by-zenodo" -g 'part*' -g 'owner/*' 123 \
    >"$home/logs/zenodo_get" 2>&1 || fail "zenodo_get cannot download from zenodo.py: $(tail -3 "$home/logs/zenodo_get")"
  expect_same zenodo_get "$home/record" "$home/by-zenodo"
fi
# The number of all versions leads to the latest one.
compare zenodo https://zenodo.org/records/122 "$home/record-at-server"
compare_damaged zenodo-damaged doi:10.5281/zenodo.123 "$home/record-at-server" 'part 4 & ünï+.bin'
