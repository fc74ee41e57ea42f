#!/bin/sh
# Makes sure that everything needed to build and test Kettle is there; installs what is missing on
# Debian and its children, names it elsewhere. Asks for nothing when nothing is missing.
# With the word "faults", "servers", "sources", "fleet", "clients", "bench", "pictures", "package", "release" or
# "site" it looks for what that target of make needs, too; with "containers", for what `make test-packages` needs,
# and with "commands", for what `make test-site` needs.
# KETTLE_DEPS=no skips it, for those who build packages.
set -eu
purpose=${1:-}
[ "${KETTLE_DEPS:-}" != no ] || exit 0

say() { printf 'deps: %s\n' "$*"; }
complain() { printf 'deps: %s\n' "$*" >&2; }

# Swift 6.2 is the oldest that reads Package.swift.
if ! command -v swift >/dev/null 2>&1; then
  complain 'Swift is missing; get 6.2 or later from https://www.swift.org/install/linux/'
  exit 1
fi
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
# The two numbers are words of their own on purpose.
# shellcheck disable=SC2086
set -- ${version:-0 0}
if [ "$1" -lt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -lt 2 ]; }; then
  complain "Swift $1.$2 is too old; get 6.2 or later from https://www.swift.org/install/linux/"
  exit 1
fi

# A library counts as there when pkg-config knows it: on Debian another build of libcurl may
# provide it, and installing ours would remove that one.
has_library() { pkg-config --exists "$1" 2>/dev/null; }
has_package() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
need() { has_package "$1" || has_library "$2" || missing="$missing $1"; }
need libcurl4-openssl-dev libcurl
need libncurses-dev ncursesw
need libsqlite3-dev sqlite3
need libssl-dev openssl
need zlib1g-dev zlib
need libbrotli-dev libbrotlidec
need libzstd-dev libzstd
need libxxhash-dev libxxhash
need libpq-dev libpq
command -v tmux >/dev/null 2>&1 || missing="$missing tmux"

# Some programs are where only root looks.
has_program() { PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null 2>&1; }
need_program() { has_program "$1" || missing="$missing $2"; }

# What is installed where it is to be had.
wanted=
want_program() { has_program "$1" || wanted="$wanted $2"; }

# Tests trace system calls; those of `make test` are skipped without it.
if command -v apt-get >/dev/null 2>&1 || [ "$purpose" = faults ]; then
  need_program strace strace
fi

# The tests under faults make file systems.
if [ "$purpose" = faults ]; then
  need_program mkfs.ext4 e2fsprogs
  need_program mkfs.xfs xfsprogs
  need_program mkfs.btrfs btrfs-progs
fi

# The tests with real servers start their own, on free ports of the loopback.
if [ "$purpose" = servers ]; then
  need_program nginx nginx-light
  need_program apache2 apache2-bin
  need_program squid squid
  need_program danted dante-server
  need_program vsftpd vsftpd
  need_program sshd openssh-server
  need_program ssh-keygen openssh-client
  need_program curl curl
  need_program openssl openssl
  need_program unshare util-linux
fi

# A database, and machines with networks of their own.
if [ "$purpose" = fleet ]; then
  [ -x "$(find /usr/lib/postgresql -name initdb 2>/dev/null | head -n 1)" ] || missing="$missing postgresql"
  need_program ip iproute2
  need_program unshare util-linux
  need_program setpriv util-linux
  need_program python3 python3
fi

# Sources of collections, and other programs that download them.
if [ "$purpose" = sources ]; then
  need_program python3 python3
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
  need_program nginx nginx-light
  need_program apache2 apache2-bin
  # Not every release has all of them; what is not there is skipped, and a line says so.
  want_program caddy caddy
  want_program lighttpd lighttpd
  want_program vsftpd vsftpd
  want_program lftp lftp
  want_program rclone rclone
fi

# Clients written in Python, and a browser for the WebExtension and the page of AriaNg. Chrome loads no
# extension from a folder.
if [ "$purpose" = clients ]; then
  need_program python3 python3
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
  need_program chromium chromium
fi

# Packages are made, looked at, and tried in a new system.
if [ "$purpose" = package ]; then
  need_program strip binutils
  need_program chrpath chrpath
  need_program xz xz-utils
  need_program mandoc mandoc
  if command -v apt-get >/dev/null 2>&1; then
    need_program dpkg-shlibdeps dpkg-dev
    need_program lintian lintian
    need_program debootstrap debootstrap
    need_program python3 python3-minimal
    need_program desktop-file-validate desktop-file-utils
    need_program appstreamcli appstream
    # What the portable archive and the image contain besides libraries.
    need_program cc gcc
    has_package ncurses-term || missing="$missing ncurses-term"
    has_package foot-terminfo || missing="$missing foot-terminfo"
    has_package kitty-terminfo || missing="$missing kitty-terminfo"
    has_package ca-certificates || missing="$missing ca-certificates"
  fi
fi

# Packages are tried in other systems, and images in containers.
if [ "$purpose" = containers ]; then
  need_program debootstrap debootstrap
  need_program unshare util-linux
  need_program ip iproute2
  need_program openssl openssl
  need_program python3 python3-minimal
  need_program musl-gcc musl-tools
  has_package busybox-static || missing="$missing busybox-static"
  need_program runc runc
  need_program umoci umoci
  need_program skopeo skopeo
  need_program nginx nginx-light
fi

# A release is signed, and its packages are tried. What makes those of other distributions may be missing.
if [ "$purpose" = release ]; then
  need_program python3 python3
  need_program gpg gnupg
  need_program reprepro reprepro
  need_program minisign minisign
  need_program debootstrap debootstrap
  want_program rpmbuild rpm
  want_program makepkg makepkg
  want_program pacman pacman-package-manager
  want_program nix-build nix-bin
  want_program ruby ruby
fi

# The site is made from Markdown and manual pages.
if [ "$purpose" = site ]; then
  need_program python3 python3
  need_program cmark-gfm cmark-gfm
  need_program mandoc mandoc
fi

# The commands of the documents run on a machine of their own, with its servers and its database.
if [ "$purpose" = commands ]; then
  need_program python3 python3
  need_program unshare util-linux
  need_program ip iproute2
  need_program openssl openssl
  need_program sshd openssh-server
  need_program ssh openssh-client
  [ -x "$(find /usr/lib/postgresql -name initdb 2>/dev/null | head -n 1)" ] || missing="$missing postgresql"
  need_program psql postgresql-client
  need_program wget wget
  need_program xz xz-utils
  need_program minisign minisign
fi

# The pictures show downloads from a server on the loopback.
if [ "$purpose" = pictures ]; then
  need_program nginx nginx-light
fi

# The benchmark downloads from a server on the loopback, as its peers do.
if [ "$purpose" = bench ]; then
  need_program nginx nginx-light
  need_program aria2c aria2
  need_program curl curl
  need_program openssl openssl
  need_program taskset util-linux
  need_program nsenter util-linux
  want_program wget2 wget2
  want_program axel axel
fi

command -v apt-get >/dev/null 2>&1 || wanted=
if [ -z "$missing$wanted" ]; then
  say 'everything is here'
  exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
  complain "missing, by their Debian names:$missing"
  complain 'they are looked for with pkg-config'
  complain 'Fedora:   dnf install libcurl-devel ncurses-devel sqlite-devel openssl-devel zlib-devel brotli-devel libzstd-devel xxhash-devel libpq-devel pkgconf-pkg-config tmux'
  complain 'Arch:     pacman -S curl ncurses sqlite openssl zlib brotli zstd postgresql-libs pkgconf tmux'
  complain 'openSUSE: zypper install libcurl-devel ncurses-devel sqlite3-devel libopenssl-devel zlib-devel libbrotli-devel libzstd-devel xxhash-devel postgresql-devel pkgconf-pkg-config tmux'
  exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    complain "missing:$missing$wanted; install them as root: apt-get install$missing$wanted"
    [ -n "$missing" ] || exit 0
    exit 1
  fi
  as_root=sudo
fi
$as_root apt-get update -q
for package in $wanted; do
  if apt-cache show "$package" >/dev/null 2>&1; then missing="$missing $package"; else say "$package is not to be had"; fi
done
[ -n "$missing" ] || exit 0
say "installing$missing"
# The names are words of their own on purpose.
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
say 'done'
