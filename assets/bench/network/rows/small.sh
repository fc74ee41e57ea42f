# 500 files of 64 KiB: round trips decide.
emulate 100 80 0 80 20
link_text="$link_text, $small_files files of 64 KiB"
fetch_list
