# A server on the other side of an ocean: loss keeps each connection far below the rate of the link.
emulate 300 100 0.001 80 50
fetch_file 64.bin ''
