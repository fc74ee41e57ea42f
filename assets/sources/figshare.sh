# figshare: a client made of its description and Kettle download an article from figshare.py.
mkdir -p "$home/article/sub one/deep"
for number in 1 2 3 4 5 6; do head -c 2000000 /dev/urandom >"$home/article/part $number & ünï#%41.bin"; done
head -c 3000 /dev/urandom >"$home/article/sub one/part 1 & ünï#%41.bin"
: >"$home/article/sub one/none.txt"
# The list has two pages.
for number in $(seq 1 1000); do echo "file $number" >"$home/article/sub one/deep/file $number.txt"; done

port=$(free_port)
start figshare.py "$port" python3 "$here/figshare.py" "$port" "$home/article"
export KETTLE_FIGSHARE_ENDPOINT="http://127.0.0.1:$port"

if install figshare-oai-pmh figshare-oai-pmh; then
  "$python" "$here/figshare_client.py" "$KETTLE_FIGSHARE_ENDPOINT" "$home/by-figshare" >"$home/logs/figshare" 2>&1 ||
    fail "figshare-oai-pmh cannot download from figshare.py: $(tail -3 "$home/logs/figshare")"
  expect_same figshare-oai-pmh "$home/article" "$home/by-figshare"
fi
# The list has a link to a page, too, which is left out.
compare figshare https://figshare.com/articles/dataset/An_article/2000005 "$home/article"
compare_damaged figshare-damaged doi:10.6084/m9.figshare.2000005.v3 "$home/article" 'sub one/deep/file 999.txt'
