# One big file over one plain connection.
. "$bench/lib/big-file.sh"
big_file plain-1 "$plain/big.bin" 1 curl 0.60 wget2
