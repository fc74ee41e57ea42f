# WebDAV: rclone and Kettle download a directory from Apache, and from WsgiDAV with a login.
compare_webdav() { # name port options of Kettle...
  dav_name=$1 dav_port=$2
  shift 2
  if have "rclone from $dav_name" rclone; then
    rclone copy --retries 1 --low-level-retries 2 --webdav-url "http://127.0.0.1:$dav_port/pub/" \
      --webdav-user someone --webdav-pass "$(rclone obscure secret)" :webdav: "$home/by-rclone" \
      >"$home/logs/rclone" 2>&1 || fail "rclone cannot download from $dav_name: $(tail -3 "$home/logs/rclone")"
    expect_same "rclone from $dav_name" "$served/pub" "$home/by-rclone"
  fi
  compare "$dav_name" "dav://127.0.0.1:$dav_port/pub/" "$served/pub" "$@"
}

if have apache-webdav apache2; then
  port=$(free_port)
  modules=/usr/lib/apache2/modules
  cat >"$home/apache-webdav.conf" <<END
ServerName localhost
Listen 127.0.0.1:$port
PidFile $home/apache-webdav.pid
ErrorLog $home/logs/apache-webdav-errors
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dav_module $modules/mod_dav.so
LoadModule dav_fs_module $modules/mod_dav_fs.so
DavLockDB $home/dav-lock
DocumentRoot $served
<Location />
  Dav On
  Require all granted
</Location>
END
  start apache-webdav "$port" apache2 -X -f "$home/apache-webdav.conf"
  compare_webdav apache-webdav "$port"
fi

if install wsgidav wsgidav cheroot; then
  port=$(free_port)
  cat >"$home/wsgidav.json" <<END
{"host": "127.0.0.1", "port": $port, "provider_mapping": {"/": "$served"},
 "simple_dc": {"user_mapping": {"*": {"someone": {"password": "secret"}}}}}
END
  start wsgidav "$port" "$home/venv/bin/wsgidav" --config "$home/wsgidav.json"
  compare_webdav wsgidav "$port" --user someone:secret
fi
