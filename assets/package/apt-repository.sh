#!/bin/sh
# apt-repository.sh DIRECTORY KEY
# Makes a repository for apt in DIRECTORY/apt from the packages kettle_VERSION_*.deb in DIRECTORY, one for
# each machine that has been built. It is a folder of files for any web server. KEY is a key of gpg, by
# its fingerprint or address; it signs the repository, and its public part is put into kettle.asc.
set -eu
packages=$(realpath "$1")
key=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/assets/package/release.sh"
if [ -z "$key" ]; then
  echo 'apt: name the key of gpg that signs the repository: KEY=FINGERPRINT' >&2
  exit 1
fi
if ! gpg --batch --list-secret-keys "$key" >/dev/null 2>&1; then
  echo "apt: gpg has no secret key $key" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

architectures=
for deb in "$packages/kettle_${version}_"*.deb; do
  [ -f "$deb" ] || { echo "apt: $packages has no kettle_${version}_*.deb; run make deb" >&2; exit 1; }
  architectures="$architectures $(dpkg-deb --field "$deb" Architecture)"
done

# The key by its fingerprint: apt and people compare that.
fingerprint=$(gpg --batch --with-colons --list-secret-keys "$key" | sed -n '/^fpr/{s/^fpr:*//;s/:$//;p;q}')
mkdir "$work/conf"
cat > "$work/conf/distributions" <<CONF
Origin: Kettle
Label: Kettle
Suite: stable
Codename: stable
Architectures:$architectures
Components: main
Description: $(described summary)
SignWith: $fingerprint
CONF
for deb in "$packages/kettle_${version}_"*.deb; do
  reprepro --silent --basedir "$work" --outdir "$work/apt" includedeb stable "$deb"
done
gpg --batch --armor --export "$fingerprint" > "$work/apt/kettle.asc"
cat > "$work/apt/kettle.sources" <<SOURCES
Types: deb
URIs: $(described apt)
Suites: stable
Components: main
Signed-By: /etc/apt/keyrings/kettle.asc
SOURCES
chmod -R u=rwX,go=rX "$work/apt"
rm -rf "$packages/apt"
mv "$work/apt" "$packages/apt"
echo "apt: $packages/apt for$architectures, signed with $fingerprint"
