# A hundred thousand transfers, fifty rows that run: the terminal's share, in a pseudo terminal.
row=dashboard
"$build/dashboard-frames" >"$world/frames" || :
# Lines with a budget: what it is, two blanks or more, the number, and the budget as the last word.
sed -n 's/^\(.*[^ ]\)  *\([0-9.][0-9.]*\)  *[A-Za-z% ]*budget of \([0-9.]*\)$/\1|\2|\3/p' "$world/frames" \
  >"$world/frames.budgets"
[ -s "$world/frames.budgets" ] || fail "dashboard-frames did not say what it measured"
while IFS='|' read -r what value budget; do
  case $what in
    frame*) unit=ms ;;
    *share*) unit=% ;;
    *) unit=B/s ;;
  esac
  verdict "$row" "$what" "$value" "$budget" "$unit"
done <"$world/frames.budgets"
