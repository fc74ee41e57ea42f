# The first half of the day. Read by day.sh; see there. What is waited for is what a person would
# look for. An escape key needs an answer before the next key: together they would be another one.

begin 'morning: the empty list'
open_terminal 110 30 "$program; echo ended with \$?; exec sh"
see '♨' 'Paste a link'
keep empty

begin 'five links, pasted in one piece'
paste_text "$(url 1)
$(url 2)
$(url 3)
$(url 4)
$(url 5)"
see 'Enter add' 'networking-on-linux'
keep add
keys Enter
see '▶ 5' 'kettle-in-ten' 'networking-on-linux'
keep running

begin 'pause one'
keys g p
see '‖ 1'
keep paused

begin 'pause the rest'
keys P
see '‖ 5'
