#!/bin/bash
# test-recipes.sh            reads back what the recipes for made-up archives say
# test-recipes.sh DIRECTORY  builds from the recipes in DIRECTORY/recipes and the archive beside them
#
# The first needs nothing but a shell. The second uses makepkg, rpmbuild, nix and ruby; what is missing is
# skipped, and a line says so. Each package that was built is installed, downloads a file, and is removed.
set -euo pipefail
trial=test-recipes
package=$(realpath "$(dirname "$0")")
top=$(realpath "$package/../..")
. "$package/release.sh"
. "$package/trial.sh"

# listed WORD...: prints the words without what is between them, each once and in order.
listed() { printf '%s\n' "$*" | tr -s "'\",[](){} " '\n' | sed '/^$/d' | LC_ALL=C sort -u | tr '\n' ' '; }

# compare FILE WHAT PATTERN EXPECTED: the group in the pattern must match the expected words in the file.
compare() {
  local found
  found=$(sed -nE "s~$3~\\1~p" "$1")
  [ "$(listed "$found")" = "$(listed "$4")" ] || fail "$2 in ${1##*/} is '$found', not '$4'"
  compared=$((compared + 1))
}

# compare_sums FILE MARKER MACHINE: the first digest below the marker must be that of the archive.
compare_sums() {
  local found
  found=$(awk -v marker="$2" 'index($0, marker) { below = 1 }
    below && match($0, /[0-9a-f]+/) && length($0) > 63 {
      gsub(/[^0-9a-f]/, " "); for (i = 1; i <= NF; i++) if (length($i) == 64) { print $i; exit }
    }' "$1")
  [ "$found" = "$(sha256sum < "$work/kettle-$version-linux-$3-portable.tar.xz" | cut -d ' ' -f 1)" ] ||
    fail "the digest below '$2' in ${1##*/} is '$found'"
  compared=$((compared + 1))
}

# compare_texts: compares each recipe with description.txt and the archives.
compare_texts() {
  local recipes=$work/recipes name summary homepage license libraries archives file
  compared=0
  name=$(described name)
  summary=$(described summary)
  homepage=$(described homepage)
  license=$(described license)
  libraries=$(described libraries | sed 's/[^ ]* //')
  archives="$(described releases)/v$version/$name-$version-linux"

  file=$recipes/PKGBUILD
  compare "$file" name '^pkgname=(.*)' "$name"
  compare "$file" version '^pkgver=(.*)' "$version"
  compare "$file" summary "^pkgdesc='(.*)'" "$summary"
  compare "$file" homepage "^url='(.*)'" "$homepage"
  compare "$file" license '^license=(.*)' "${license//AND/} ${libraries//-WITH-/ WITH }"
  compare "$file" machines '^arch=(.*)' 'x86_64 aarch64'
  compare "$file" dependencies '^depends=(.*)' "$(described arch_depends)"
  compare "$file" 'optional dependencies' '^optdepends=(.*)' "$(described arch_optdepends)"
  compare "$file" archive '^source_x86_64=(.*)' "$archives-x86_64-portable.tar.xz"
  compare "$file" archive '^source_aarch64=(.*)' "$archives-aarch64-portable.tar.xz"
  compare_sums "$file" sha256sums_x86_64 x86_64
  compare_sums "$file" sha256sums_aarch64 aarch64

  file=$recipes/flake.nix
  compare "$file" name '^ *pname = (.*);' "$name"
  compare "$file" version '^ *version = (.*);' "$version"
  compare "$file" summary '^ *description = (.*);' "$summary"
  compare "$file" homepage '^ *homepage = (.*);' "$homepage"
  compare "$file" license '^ *license = (.*);' "${license//AND/} ${libraries//-WITH-/ WITH }"
  compare "$file" machines '^ *machine = (.*);' 'x86_64 aarch64'
  compare "$file" archive '^ *url = (.*);' \
    "${archives//"$version"/\$\{version\}}-\${archive.machine}-portable.tar.xz"
  compare_sums "$file" 'x86_64-linux = {' x86_64
  compare_sums "$file" 'aarch64-linux = {' aarch64

  file=$recipes/kettle.rb
  compare "$file" name '^class (.*) < Formula' "${name^}"
  compare "$file" version '^  version (.*)' "$version"
  compare "$file" summary '^  desc (.*)' "$summary"
  compare "$file" homepage '^  homepage (.*)' "$homepage"
  compare "$file" license '^  license all_of: (.*)' "${license//AND/} ${libraries//-WITH-/ => with: }"
  compare "$file" dependencies '^  depends_on (.*)' :linux
  compare "$file" archives '^    url (.*)' \
    "$archives-x86_64-portable.tar.xz $archives-aarch64-portable.tar.xz"
  compare_sums "$file" on_intel x86_64
  compare_sums "$file" on_arm aarch64

  file=$recipes/kettle.spec
  compare "$file" name '^Name: (.*)' "$name"
  compare "$file" version '^Version: (.*)' "$version"
  compare "$file" summary '^Summary: (.*)' "$summary"
  compare "$file" homepage '^URL: (.*)' "$homepage"
  libraries=${libraries//-WITH-/ WITH }
  compare "$file" license '^License: (.*)' "$license AND ${libraries//$'\n'/ AND }"
  compare "$file" machines '^ExclusiveArch: (.*)' 'x86_64 aarch64'
  compare "$file" 'automatic dependencies' '^AutoReqProv: (.*)' no
  compare "$file" recommendations '^Recommends: (.*)' "$(described rpm_recommends)"
  compare "$file" archive '^Source0: (.*)' \
    "${archives//"$version"/%\{version\}}-%{_target_cpu}-portable.tar.xz"
  compare_sums "$file" '%ifarch x86_64' x86_64
  compare_sums "$file" '%ifarch aarch64' aarch64

  file=$work/control
  filled control version="$version" architecture=any size=1 linked=libc6 synopsis="$summary" \
    details="$(described description)" > "$file"
  compare "$file" name '^Package: (.*)' "$name"
  compare "$file" version '^Version: (.*)' "$version"
  compare "$file" dependencies '^Depends: (.*)' "libc6 $(described deb_depends)"
  compare "$file" recommendations '^Recommends: (.*)' "$(described deb_recommends)"
  compare "$file" homepage '^Homepage: (.*)' "$homepage"

  # The commands in the documentation.
  compare "$top/docs/installing.md" version '.*releases/v([0-9.]+)/.*' "$version"
  compare "$top/docs/installing.md" version '.*kettle-([0-9.]+[0-9]).*' "$version"

  # What the desktop shows is written by hand.
  compare "$package/metainfo.xml" summary ' *<summary>(.*)</summary>' "$summary"
  compare "$package/metainfo.xml" homepage ' *<url type="homepage">(.*)</url>' "$homepage"
  compare "$package/kettle.desktop" summary '^Comment=(.*)' "$summary"
}

if [ $# -eq 0 ]; then
  for machine in x86_64 aarch64; do
    echo "$machine" > "$work/kettle-$version-linux-$machine-portable.tar.xz"
  done
  "$package/recipes.sh" "$work" >/dev/null
  compare_texts
  say "the recipes say what the description says, $compared times"
  exit 0
fi

packages=$(realpath "$1")
machine=$(uname -m)
archive=kettle-$version-linux-$machine-portable.tar.xz
mkdir "$work/site" "$work/built"
head -c 3000000 /dev/urandom > "$work/site/file.bin"
serve "$work/site"

# downloads PROGRAM: the program fetches a file, in a home of its own.
downloads() {
  rm -rf "${work:?}/home"
  mkdir "$work/home"
  local environment=(env -i "HOME=$work/home" PATH=/usr/bin:/bin LC_ALL=C.UTF-8)
  "${environment[@]}" "$1" get -q -d "$work/home" "http://127.0.0.1:$port/file.bin" >/dev/null ||
    fail "$1 get"
  cmp "$work/site/file.bin" "$work/home/file.bin" || fail "the file of $1 differs"
  "${environment[@]}" "$1" daemon stop >/dev/null
}

# as_user COMMAND...: runs a command as nobody where the test runs as root: makepkg refuses root.
as_user() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; return; fi
  setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$work/built" "$@"
}

test_pkgbuild() {
  cp "$packages/recipes/PKGBUILD" "$packages/$archive" "$work/built/"
  chmod 755 "$work"
  chown -R nobody:nogroup "$work/built" 2>/dev/null || true
  (cd "$work/built" && as_user env PKGEXT=.pkg.tar.zst SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
    makepkg --nodeps --noconfirm > log 2>&1) || { tail -20 "$work/built/log"; fail makepkg; }
  file=$work/built/kettle-$version-1-$machine.pkg.tar.zst
  tar -C "$work/built" -xf "$file" .PKGINFO
  grep -qx "pkgver = $version-1" "$work/built/.PKGINFO" || fail 'the version in .PKGINFO'
  grep -qx "depend = $(described arch_depends)" "$work/built/.PKGINFO" || fail 'depend in .PKGINFO'
  [ "$(grep -c '^license = ' "$work/built/.PKGINFO")" -gt 10 ] || fail 'license in .PKGINFO'
  mkdir -p "$work/arch/var/lib/pacman" "$work/arch/usr/bin"
  if command -v pacman >/dev/null 2>&1; then
    pacman=(pacman --root "$work/arch" --noconfirm --nodeps --nodeps --noscriptlet)
    "${pacman[@]}" --upgrade "$file" > "$work/pacman.log" 2>&1 || { cat "$work/pacman.log"; fail pacman; }
  else
    tar -C "$work/arch" -xf "$file"
  fi
  downloads "$work/arch/usr/bin/kettle"
  say "makepkg built ${file##*/}, $(stat -c %s "$file") bytes; it fetched a file"
  [ -n "${pacman:-}" ] || { say 'skipped: pacman is missing'; return 0; }
  "${pacman[@]}" --remove kettle >> "$work/pacman.log" 2>&1 || { cat "$work/pacman.log"; fail pacman; }
  left=$(find "$work/arch" ! -type d -name '*kettle*')
  [ -z "$left" ] || fail "pacman left $left"
  say 'pacman installed and removed it'
}

test_spec() {
  "$package/rpm.sh" --recipe "$packages" > "$work/rpm.log" 2>&1 || { tail -20 "$work/rpm.log"; fail rpmbuild; }
  file=$packages/kettle-$version-1.$machine.rpm
  [ "$(rpm -qp --queryformat '%{NAME} %{VERSION} %{URL} %{SUMMARY}' "$file")" = \
    "kettle $version $(described homepage) $(described summary)" ] || fail 'what rpm says of the package'
  rpm -qp --recommends "$file" | grep -qx "$(described rpm_recommends)" || fail 'Recommends of the package'
  [ -z "$(rpm -qp --requires "$file" | grep -v '^rpmlib(\|^config(' || true)" ] ||
    fail "the package requires $(rpm -qp --requires "$file")"
  mkdir "$work/fedora"
  # Debian's rpm says each time that Debian has dpkg.
  rpm --root "$work/fedora" --initdb 2> "$work/rpm.log"
  rpm --root "$work/fedora" --install "$file" 2> "$work/rpm.log" ||
    { cat "$work/rpm.log"; fail 'rpm --install'; }
  downloads "$work/fedora/usr/bin/kettle"
  rpm --root "$work/fedora" --erase kettle 2> "$work/rpm.log" || { cat "$work/rpm.log"; fail 'rpm --erase'; }
  left=$(find "$work/fedora/usr" "$work/fedora/etc" -name '*kettle*' -o -name chromium -o -name mozilla)
  [ -z "$left" ] || fail "rpm --erase left $left"
  say "rpmbuild built ${file##*/}, $(stat -c %s "$file") bytes; it fetched a file, and rpm removed it"
}

# The flake takes nixpkgs from the network; here a few lines are in its place, and the build has no sandbox.
test_flake() {
  cat > "$work/stub.nix" <<NIX
let
  flake = import $packages/recipes/flake.nix;
  system = builtins.currentSystem;
  fetchurl = { url, sha256 }:
    let file = $packages + "/\${baseNameOf url}"; in
    assert builtins.hashFile "sha256" file == sha256; file;
  mkDerivation = a: derivation (builtins.removeAttrs a [ "meta" ] // {
    name = "\${a.pname}-\${a.version}";
    inherit system;
    builder = "/bin/sh";
    args = [ "-ec" "PATH=/usr/bin:/bin; HOME=/homeless; tar xf \$src; cd \*; \${a.installPhase}" ];
  }) // { inherit (a) meta; };
  nixpkgs = {
    legacyPackages.\${system} = { inherit fetchurl; stdenvNoCC = { inherit mkDerivation; }; };
    lib.sourceTypes.binaryNativeCode = "binary";
  };
  outputs = flake.outputs { self = outputs; inherit nixpkgs; };
in { package = outputs.packages.\${system}.default; app = outputs.apps.\${system}.default; }
NIX
  mkdir -p "$work/nix/conf"
  printf 'build-users-group =\nsandbox = false\nsubstitute = false\n' > "$work/nix/conf/nix.conf"
  export NIX_STORE_DIR=$work/nix/store NIX_STATE_DIR=$work/nix/state NIX_LOG_DIR=$work/nix/log
  export NIX_LOCALSTATE_DIR=$work/nix/state NIX_CONF_DIR=$work/nix/conf
  nix-instantiate --parse "$packages/recipes/flake.nix" >/dev/null || fail 'nix-instantiate --parse'
  said=$(nix-instantiate --eval --strict "$work/stub.nix" -A package.meta.homepage)
  [ "$said" = "\"$(described homepage)\"" ] || fail "nix says $said"
  nix-build --out-link "$work/result" "$work/stub.nix" -A package > "$work/nix.log" 2>&1 ||
    { tail -20 "$work/nix.log"; fail nix-build; }
  [ "$(nix-instantiate --eval "$work/stub.nix" -A app.program)" = \
    "\"$(readlink "$work/result")/bin/kettle\"" ] || fail 'the program of the app'
  downloads "$work/result/bin/kettle"
  chmod -R u+w "$work/nix"
  say "nix built $(basename "$(readlink "$work/result")"), with a few lines as nixpkgs; it fetched a file"
}

# What a formula may say is defined here, as far as ours uses it.
test_formula() {
  ruby -c "$packages/recipes/kettle.rb" >/dev/null || fail 'ruby -c'
  mkdir "$work/unpacked"
  tar -C "$work/unpacked" --strip-components 1 -xf "$packages/$archive"
  cat > "$work/formula.rb" <<'RUBY'
class Formula
  class << self
    attr_reader :said
    def inherited(formula) = formula.instance_variable_set(:@said, {})
    %i[desc homepage version license depends_on url sha256].each do |name|
      define_method(name) { |value| @said[name] = value }
    end
    def on_intel = RUBY_PLATFORM.start_with?("x86_64") ? yield : nil
    def on_arm = RUBY_PLATFORM.start_with?("aarch64") ? yield : nil
    def service = @said[:service] = true
    def test = @said[:test] = true
  end
  def initialize(prefix) = @prefix = prefix
  attr_reader :prefix
  def system(*command) = Kernel.system(*command) || abort("#{command} failed")
end
recipe, prefix, folder = ARGV
load recipe
Dir.chdir(folder) { Kettle.new(prefix).install }
puts Kettle.said.values_at(:version, :url, :sha256, :license)
RUBY
  HOME=$work/brew ruby "$work/formula.rb" "$packages/recipes/kettle.rb" "$work/brew/kettle/$version" \
    "$work/unpacked" > "$work/formula.log" || fail 'the formula'
  for said in "$version" "$(described releases)/v$version/$archive" \
    "$(sha256sum < "$packages/$archive" | cut -d ' ' -f 1)"; do
    grep -qxF "$said" "$work/formula.log" || fail "the formula does not say $said"
  done
  downloads "$work/brew/kettle/$version/bin/kettle"
  say 'ruby read the formula, whose installation fetched a file'
}

# if_there PROGRAM TEST
if_there() {
  if command -v "$1" >/dev/null 2>&1; then "$2"; else say "skipped: $1 is missing"; fi
}
if_there makepkg test_pkgbuild
if_there rpmbuild test_spec
if_there nix-build test_flake
if_there ruby test_formula
say 'everything passed'
