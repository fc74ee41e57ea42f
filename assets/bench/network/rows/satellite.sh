# A satellite in a geostationary orbit.
emulate 50 600 0.0001 300 5
fetch_file 32.bin ''
