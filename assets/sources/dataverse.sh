# Dataverse: pyDataverse and Kettle download a dataset from dataverse.py.
mkdir -p "$home/dataset/sub one/deep"
for number in 1 2 3 4 5 6; do head -c 2000000 /dev/urandom >"$home/dataset/part $number & ünï+%41.bin"; done
for number in $(seq 1 40); do
  head -c $((number * 997)) /dev/urandom >"$home/dataset/sub one/deep/part $number.bin"
done
# Tables are there in another form, too; a directory has a file with that name.
for table in 'table' 'sub one/table'; do printf 'a,b\n1,2\n3,4\n' >"$home/dataset/$table.csv"; done
printf 'a\tb\n' >"$home/dataset/sub one/deep/table.tab"
: >"$home/dataset/none.txt"

port=$(free_port)
start dataverse.py "$port" python3 "$here/dataverse.py" "$port" "$home/dataset"
server="http://127.0.0.1:$port"
export KETTLE_DATAVERSE_ENDPOINT="$server"

if install pyDataverse pyDataverse; then
  "$python" "$here/dataverse_client.py" "$server" "$home/by-dataverse" >"$home/logs/pyDataverse" 2>&1 ||
    fail "pyDataverse cannot download from dataverse.py: $(tail -3 "$home/logs/pyDataverse")"
  expect_same pyDataverse "$home/dataset" "$home/by-dataverse"
fi
# The list has a restricted file, too, which is left out.
compare dataverse "$server/dataset.xhtml?persistentId=doi:10.7910/DVN/TEST" "$home/dataset"
compare_damaged dataverse-damaged doi:10.7910/DVN/TEST "$home/dataset" 'sub one/deep/part 4.bin'
