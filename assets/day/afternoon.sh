# The second half of the day. Read by day.sh after morning.sh.

begin 'mark two, and start and pause both at once'
keys G Space k Space
see '2 marked'
keep marked
keys s
see '▶ 2'
keys p
see '‖ 5'
keys U
see_no_more '2 marked'

begin 'filter by state and word'
keys '\'
type_text 'state:paused regret'
keys Enter
see 'Filter' 'resuming-without'
see_no_more 'kettle-in-ten'
keep filter
keys Escape
see 'kettle-in-ten'

begin 'search'
keys g /
type_text 'regret'
see_under_cursor 'resuming-without'
keys Enter
see 'Search: regret'
keep search
keys Escape
see_no_more 'Search'

begin 'sort by another column'
keys o
see 'Sort by'
keep sort-menu
keys Escape
see_no_more 'Sort by'
keys '>'
see '↑'
keep sorted
# By the queue.
keys o
see 'Sort by'
keys u
see_no_more '↑'

begin 'a column less, and back'
keys v
see 'Columns, where'
keys Down Enter
keep view-menu
keys Escape
see_no_more 'Columns, where'
see_no_more 'Size'
keys v
see 'Columns, where'
keys Down Enter
keys Escape
see_no_more 'Columns, where'
see 'Size'

begin 'a speed limit for what is under the cursor'
keys l
see 'Speed limit'
type_text '100K'
see 'Enter sets'
keep limit
keys Enter
see 'at most 100'

begin 'what is known of one'
keys Enter
see 'State'
keep details
keys 2
see 'received'
keep parts
keys 3
see 'http://127.0.0.1'
keep addresses
keys q
see ': everything'

begin 'a link that leads nowhere'
paste_text "$origin/report.pdf"
see 'Enter add' 'report.pdf'
keys Enter
see '✘ 1' '‖ 5'

begin 'some of them go on'
put_cursor_on 'kettle-in-ten'
keys Space Space Space
see '3 marked'
keys s U
see '▶ 3'
put_cursor_on 'kettle-in-ten'
resize 110 14
see 'kettle-in-ten'
keep working
keys Enter 2
see 'Connections'
keep connections
keys q
see ': everything'
resize 110 30

begin 'what is finished'
keys H
see 'History' 'Finished'
keep history
keys H
see_no_more 'History'

begin 'a folded group'
put_cursor_on 'report.pdf'
keys Left
see '▸'
keep folded
keys Right
see_no_more '▸'

begin 'the details beside the keys of the list'
put_cursor_on 'report.pdf'
keys Tab
see '1/6 Overview'
keep pane
keys ']'
see '2/6 Parts'
keys Tab
see_no_more '2/6 Parts'

begin 'a command'
keys :
type_text 'limit 2M'
keep command
keys Enter
see 'at most 2'

begin 'the right link'
see ': everything' 'Left'
put_cursor_on 'report.pdf'
keep failed
keys u
see 'New link'
type_text "$(url 1)"
see 'Enter uses it'
keep new-link
keys Enter
see_no_more '✘ 1'

begin 'everything that is not running'
keys S
see_no_more ' paused'
keep all

begin 'everything stopped by mistake'
keys X
see 'Stop'
keys y
see 'Stopped'
keys b
see 'Undo' 'stopped "'
keep bin
keys Enter
see 'Brought back'

begin 'the keys'
keys '?'
see 'Keys'
keep help
keys q
see ': everything'

begin 'a small terminal'
resize 40 10
see_no_more 'Left'
keep small
resize 110 30
see 'Left'

begin 'evening: back to an untouched list'
keys R
see 'Reset'
keep reset
keys y
# A transfer that has completed by now stays completed.
see 'Nothing downloading' '○'
keep idle
