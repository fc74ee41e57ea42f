# One big file over one TLS connection.
big_file tls-1 "$secure/big.bin" 1 curl 0.70 wget2
