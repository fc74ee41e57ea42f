# One big file over one plain connection.
big_file plain-1 "$plain/big.bin" 1 curl 0.40 wget2
