#!/bin/bash
# test-deb.sh DEB
# Installs the package in a new Debian 12 without Swift, as root, and uses it there: a download, the
# dashboard in 80 columns and 24 lines, the manual, completions, browsers, removal.
set -euo pipefail
deb=$(realpath "$1")
trial=test-deb
. "$(dirname "$0")/trial.sh"

# A new system, with the programs that look at the package.
new_system bookworm man-db bash-completion tmux python3-minimal
say "Debian $(cat "$root/etc/debian_version") without Swift"

# Installation.
cp "$deb" "$root/kettle.deb"
files_inside > "$work/before"
inside apt-get install -y -qq --no-install-recommends /kettle.deb >"$work/install.log" 2>&1 ||
  { tail -5 "$work/install.log"; fail 'apt-get install'; }
[ "$(inside dpkg-query -W -f '${db:Status-Status}' kettle)" = installed ] || fail 'not installed'
say "installed, $(inside kettle --version)"
inside ls -d /home/anna/.local /home/anna/.config 2>/dev/null && fail 'the installation made files of a user'
for process in /proc/[0-9]*; do
  [ "$(readlink "$process/exe" || true)" != "$root/usr/bin/kettle" ] ||
    fail 'the installation started a service'
done

# A download from a server on the loopback.
mkdir "$work/site"
head -c 3000000 /dev/urandom > "$work/site/file.bin"
serve "$work/site"
inside kettle get -d /home/anna "http://127.0.0.1:$port/file.bin" || fail 'kettle get'
cmp "$work/site/file.bin" "$root/home/anna/file.bin" || fail 'the file differs'
say 'kettle get fetched the file'
digest=$(sha256sum < "$work/site/file.bin" | cut -d ' ' -f 1)
inside kettle add --paused -d /home/anna --checksum "sha256:$digest" -t second \
  "http://127.0.0.1:$port/file.bin?2" >/dev/null

# The dashboard.
inside tmux -L kettle -f /dev/null new-session -d -x 80 -y 24 kettle
shown=
for _ in $(seq 100); do
  screen=$(inside tmux -L kettle capture-pane -p)
  case $screen in *second*) shown=yes; break ;; esac
  sleep 0.1
done
printf '%s\n' "$screen"
[ -n "$shown" ] || fail 'the dashboard does not show the list'
inside tmux -L kettle send-keys q
say 'the dashboard shows the list'

# The manual and the completions.
for page in 'kettle' 'kettle-add' '5 kettle-config' '7 kettle-rpc'; do
  # Words of their own on purpose.
  inside man $page > "$work/page" 2>&1 || fail "man $page"
  grep -q '^NAME' "$work/page" || fail "man $page"
done
inside whatis kettle-add kettle | sed 's/^/  /'
[ "$(inside apropos -s 1 kettle- | wc -l)" -ge 20 ] || fail 'apropos does not know the pages'
candidates=$(inside bash -c '
  . /usr/share/bash-completion/bash_completion
  _completion_loader kettle
  COMP_WORDS=(kettle why ""); COMP_CWORD=2; COMP_LINE="kettle why "; COMP_POINT=11
  _kettle kettle "" why
  echo "${COMPREPLY[*]}"')
[ "$candidates" = '1 2' ] || fail "bash completes ids with: $candidates"
say "man finds the pages, bash completes ids: $candidates"

# Browsers find the host, and it answers; a link kettle:// only queues.
for manifest in usr/lib/mozilla/native-messaging-hosts etc/chromium/native-messaging-hosts \
  etc/opt/chrome/native-messaging-hosts; do
  host=$(sed 's/.*"path": "\([^"]*\)".*/\1/' "$root/$manifest/org.example.kettle.json")
  answer=$(printf '\031\0\0\0{"id":1,"method":"hello"}' |
    inside "$host" chrome-extension://abc/ | tr -d '\0') || fail "the host of /$manifest"
  case $answer in *'"version":'*) ;; *) fail "the host of /$manifest said: $answer" ;; esac
done
inside kettle browser status
[ "$(inside kettle browser status | grep -c ': installed, by ')" = 3 ] || fail 'kettle browser status'
inside kettle browser install --browser chromium | grep -q '"/usr/share/kettle/webextension"' ||
  fail 'kettle browser install does not find the extension'
inside kettle browser uninstall >/dev/null
link=$(inside kettle open-link 'kettle://add?url=http%3A%2F%2F127.0.0.1%2Flink') || fail 'kettle open-link'
case $link in '3 paused: '*) ;; *) fail "kettle open-link said: $link" ;; esac
say 'browsers find the host and the extension, and a link is queued, paused'

# Removal leaves what belongs to the user.
inside kettle daemon stop
inside apt-get remove -y -qq kettle >/dev/null 2>&1
inside dpkg --purge kettle >/dev/null 2>&1
[ -z "$(inside sh -c 'command -v kettle' || true)" ] || fail 'the program is still there'
files_inside > "$work/after"
# man has a cache of the pages that were read.
left=$(comm -13 "$work/before" "$work/after" | grep -i kettle | grep -v '^/var/cache/man/' || true)
say 'after removal and purge, these files of kettle remain:'
printf '%s\n' "$left" | sed 's/^/  /'
others=$(printf '%s\n' "$left" | grep -v '^/home/anna/' || true)
[ -z "$others" ] || fail 'they do not all belong to the user'
[ -f "$root/home/anna/file.bin" ] || fail 'the downloaded file is gone'
say 'everything passed'
