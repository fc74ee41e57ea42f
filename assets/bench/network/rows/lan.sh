# A local network. One connection fills it, so that more than two would only cost.
emulate 1000 1 0 8 1000
fetch_file 200.bin ''
verdict "$row" 'connections of Kettle, the most of a run' "$(most_of "$row" kettle 6)" 2 ''
