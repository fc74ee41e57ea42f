# A cable connection at home, with a little loss.
emulate 200 20 0.0001 40 20
fetch_file 200.bin ''
