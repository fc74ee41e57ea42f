# A file of one byte over a long link: the round trips and the syncs of a single file.
emulate 100 100 0 50 20
link_text="$link_text, a file of one byte"
fetch_file byte.bin ''
