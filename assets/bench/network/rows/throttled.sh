# A server that gives each connection 2 MiB/s.
emulate 200 30 0 30 20
link_text="$link_text, the server gives 2 MiB/s per connection"
fetch_file 100.bin throttled/
