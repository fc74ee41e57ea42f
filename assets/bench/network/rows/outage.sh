# The link carries nothing for 30 s when half of the file is there.
emulate 100 20 0 40 20
silence_after_bytes=$((32 * 1048576)) silence_milliseconds=30000
link_text="$link_text, silent for 30 s in the middle"
fetch_file 64.bin ''
verdict "$row" 'data after the link is back, the median' "$(median_of "$row" kettle 7)" 3 s
silence_after_bytes=0 silence_milliseconds=0
