# One big file over four plain connections.
big_file plain-4 "$plain/big.bin" 4 aria2 0.35 axel
