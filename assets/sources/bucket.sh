# S3: boto3, s3cmd and Kettle use a bucket of moto that is open to everyone, and one behind sigv4.py, which
# verifies the signature of each request.

# More than a page of objects, and names that are encoded in lists, in URLs and in signatures.
mkdir -p "$home/objects" "$home/strange/sub one/deep+er"
for number in $(seq 1 1010); do echo "object $number" >"$home/objects/$number.txt"; done
for number in 1 2 3; do head -c 3000000 /dev/urandom >"$home/strange/sub one/part $number + & ünï#%41=~.bin"; done
echo text >"$home/strange/sub one/deep+er/100%.txt"
: >"$home/strange/empty"
mkdir "$home/bucket"
cp -R "$home/objects" "$home/bucket/many"
cp -R "$home/strange" "$home/bucket/strange %2F"
(cd "$home/bucket" && find . -type f | sed 's|^\./|data/|' | LC_ALL=C sort) >"$home/keys"

access_key=AKIAIOSFODNN7EXAMPLE secret_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
other_key=ASIAIOSFODNN7EXAMPLE other_secret=another/secret+of/forty+characters other_token=IQoJb3JpZ2lu/+a==

# Subshells export keys, so that the rest of the checks has none. boto3 reads the older name of the region.
export AWS_REGION=eu-central-1 AWS_DEFAULT_REGION=eu-central-1
use_keys() { export AWS_ACCESS_KEY_ID="$1" AWS_SECRET_ACCESS_KEY="$2"; }

boto3() { # arguments of bucket_client.py...
  "$python" "$here/bucket_client.py" "$@" 2>"$home/logs/boto3"
}
s3cmd() { # arguments...
  : >>"$home/s3cfg"
  "$home/venv/bin/s3cmd" -c "$home/s3cfg" --no-ssl --region="$AWS_REGION" --host="${AWS_ENDPOINT_URL_S3#http://}" \
    --host-bucket="${AWS_ENDPOINT_URL_S3#http://}" "$@" 2>"$home/logs/s3cmd"
}

# Fills a bucket and compares what the clients list.
fill() { # bucket, ACL of boto3, option of s3cmd
  boto3 put "$1" data/many/ "$home/objects" "$2" || fail "boto3 cannot upload: $(tail -3 "$home/logs/boto3")"
  s3cmd put --recursive "$3" "$home/strange/" "s3://$1/data/strange %2F/" >/dev/null ||
    fail "s3cmd cannot upload: $(tail -3 "$home/logs/s3cmd")"
  # These are not below the prefix that is downloaded.
  s3cmd put "$3" "$home/keys" "s3://$1/data2/other" >/dev/null
  s3cmd put "$3" "$home/keys" "s3://$1/data-of-others" >/dev/null
  boto3 list "$1" data/ >"$home/listed" || fail "boto3 cannot list: $(tail -3 "$home/logs/boto3")"
  cmp -s "$home/keys" "$home/listed" || fail 'boto3 lists other objects'
  s3cmd ls --recursive "s3://$1/data/" >"$home/lines" || fail "s3cmd cannot list: $(tail -3 "$home/logs/s3cmd")"
  sed "s|.*  s3://$1/||" "$home/lines" | LC_ALL=C sort | cmp -s "$home/keys" - || fail 's3cmd lists other objects'
  boto3 get "$1" 'data/strange %2F/' "$home/by-boto3" || fail "boto3 cannot download: $(tail -3 "$home/logs/boto3")"
  expect_same "boto3 from $1" "$home/strange" "$home/by-boto3"
  mkdir "$home/by-s3cmd"
  s3cmd get --recursive "s3://$1/data/strange %2F/" "$home/by-s3cmd/" >/dev/null ||
    fail "s3cmd cannot download: $(tail -3 "$home/logs/s3cmd")"
  expect_same "s3cmd from $1" "$home/strange" "$home/by-s3cmd"
}

# sigv4.py refuses what Amazon refuses.
check_refusals() {
  (use_keys $access_key wrong && boto3 list private-data data/) >/dev/null && fail 'sigv4.py lets boto3 pass with a wrong secret'
  grep -q SignatureDoesNotMatch "$home/logs/boto3" || fail "sigv4.py refuses boto3 with: $(cat "$home/logs/boto3")"
  (use_keys $access_key wrong && s3cmd ls s3://private-data/data/) >/dev/null &&
    fail 'sigv4.py lets s3cmd pass with a wrong secret'
  grep -q SignatureDoesNotMatch "$home/logs/s3cmd" || fail "sigv4.py refuses s3cmd with: $(cat "$home/logs/s3cmd")"
  (use_keys $other_key $other_secret && boto3 list private-data data/) >/dev/null && fail 'sigv4.py needs no token of the session'
  (use_keys $other_key $other_secret && AWS_SESSION_TOKEN=$other_token && export AWS_SESSION_TOKEN &&
    boto3 list private-data data/) | cmp -s "$home/keys" - || fail 'sigv4.py refuses a token of the session'
  kettle add --dry-run s3://private-data/data/ >/dev/null 2>"$home/logs/unsigned" && fail 'sigv4.py needs no signature'
  echo 'sources: sigv4.py lets boto3 and s3cmd pass, and refuses them with a wrong secret'
}

# Keys of the environment, temporary ones, those of a file, and a wrong secret.
compare_signed() {
  few='data/strange %2F/'
  (use_keys $access_key $secret_key && compare s3-signed s3://private-data/data/ "$home/bucket")
  (use_keys $other_key $other_secret && AWS_SESSION_TOKEN=$other_token && export AWS_SESSION_TOKEN &&
    compare s3-temporary "s3://private-data/$few" "$home/strange")
  mkdir "$home/.aws"
  printf '[default]\naws_access_key_id = unknown\naws_secret_access_key = unknown\n\n[work]\n' >"$home/.aws/credentials"
  printf 'aws_access_key_id = %s\naws_secret_access_key = %s\n' $access_key $secret_key >>"$home/.aws/credentials"
  (export AWS_PROFILE=work && boto3 list private-data data/) | cmp -s "$home/keys" - ||
    fail 'boto3 cannot use the file of keys'
  (export AWS_PROFILE=work && compare s3-profile "s3://private-data/$few" "$home/strange")
  rm -r "$home/.aws"
  (use_keys $access_key wrong && kettle add --dry-run s3://private-data/data/ >"$home/logs/wrong" 2>&1) &&
    fail 'Kettle passes with a wrong secret'
  printf 'sources: with a wrong secret: %s\n' "$(cat "$home/logs/wrong")"
}

if install moto 'moto[server]' && install boto3 boto3 && install s3cmd s3cmd; then
  port=$(free_port)
  start moto "$port" "$home/venv/bin/moto_server" -H 127.0.0.1 -p "$port"
  export AWS_ENDPOINT_URL_S3="http://127.0.0.1:$port"
  (use_keys $access_key $secret_key && fill public-data public-read --acl-public)
  compare s3 s3://public-data/data/ "$home/bucket"

  signed_port=$(free_port)
  start sigv4.py "$signed_port" python3 "$here/sigv4.py" "$signed_port" "$port" "$AWS_REGION" \
    "$access_key:$secret_key" "$other_key:$other_secret:$other_token"
  export AWS_ENDPOINT_URL_S3="http://127.0.0.1:$signed_port"
  (use_keys $access_key $secret_key && fill private-data private --acl-private)
  check_refusals
  compare_signed
fi
