# archive.org: the program of internetarchive and Kettle download an item from archive.py.
mkdir -p "$home/item/sub one/deep"
for number in 1 2 3; do head -c 4000000 /dev/urandom >"$home/item/sub one/film $number & ünï#%41.bin"; done
for number in $(seq 1 40); do
  head -c $((number * 997)) /dev/urandom >"$home/item/sub one/deep/page $number + a.jp2"
done
echo '<files/>' >"$home/item/item_files.xml"
echo '<metadata/>' >"$home/item/item_meta.xml"
# It is listed, and only its borrowers get it.
cp -R "$home/item" "$home/item-at-server"
echo 'a book' >"$home/item-at-server/on loan.pdf"

port=$(free_port)
start archive.py "$port" python3 "$here/archive.py" "$port" "$home/item-at-server"
export KETTLE_ARCHIVE_ENDPOINT="http://127.0.0.1:$port"

if install internetarchive internetarchive; then
  mkdir "$home/by-ia"
  # It asks no other server than archive.org, so its proxy is this one.
  http_proxy="http://127.0.0.1:$port" "$home/venv/bin/ia" --insecure download item --destdir "$home/by-ia" \
    --glob '*' --exclude 'on loan*' >"$home/logs/ia" 2>&1 ||
    fail "internetarchive cannot download from archive.py: $(tail -3 "$home/logs/ia")"
  expect_same internetarchive "$home/item" "$home/by-ia/item"
fi
compare archive.org https://archive.org/details/item "$home/item"
rm "$home/item-at-server/on loan.pdf"
compare_damaged archive.org-damaged https://archive.org/download/item/ "$home/item-at-server" \
  'sub one/film 2 & ünï#%41.bin'
