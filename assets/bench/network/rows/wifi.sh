# A wireless network that loses many packets.
emulate 50 20 0.01 50 20
fetch_file 32.bin ''
