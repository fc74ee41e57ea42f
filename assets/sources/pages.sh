# Index pages: rclone and Kettle download a directory from real web servers.
compare_pages() { # name port
  if have "rclone from $1" rclone; then
    rclone copy --retries 1 --low-level-retries 2 --http-url "http://127.0.0.1:$2/pub/" :http: "$home/by-rclone" \
      >"$home/logs/rclone" 2>&1 || fail "rclone cannot download from $1: $(tail -3 "$home/logs/rclone")"
    expect_same "rclone from $1" "$served/pub" "$home/by-rclone"
  fi
  compare "$1" "http://127.0.0.1:$2/pub/" "$served/pub" --depth 2
}

port=$(free_port)
start python "$port" python3 -m http.server "$port" --bind 127.0.0.1 --directory "$served"
compare_pages python "$port"

if have nginx nginx; then
  port=$(free_port)
  cat >"$home/nginx.conf" <<END
daemon off; pid $home/nginx.pid; error_log $home/logs/nginx-errors;
events {}
http {
  access_log off;
  server { listen 127.0.0.1:$port; root $served; autoindex on; charset utf-8; }
}
END
  start nginx "$port" nginx -c "$home/nginx.conf"
  compare_pages nginx "$port"

  # rclone does not read this form.
  port=$(free_port)
  sed "s/listen [^;]*/listen 127.0.0.1:$port/; s/autoindex on/& ; autoindex_format json/; s/nginx.pid/nginx-json.pid/" \
    "$home/nginx.conf" >"$home/nginx-json.conf"
  start nginx-json "$port" nginx -c "$home/nginx-json.conf"
  compare nginx-json "http://127.0.0.1:$port/pub/" "$served/pub" --depth 2
fi

if have apache apache2; then
  port=$(free_port)
  modules=/usr/lib/apache2/modules
  cat >"$home/apache.conf" <<END
ServerName localhost
Listen 127.0.0.1:$port
PidFile $home/apache.pid
ErrorLog $home/logs/apache-errors
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
LoadModule autoindex_module $modules/mod_autoindex.so
DocumentRoot $served
<Directory $served>
  Options +Indexes
  IndexOptions FancyIndexing NameWidth=*
  Require all granted
</Directory>
END
  start apache "$port" apache2 -X -f "$home/apache.conf"
  compare_pages apache "$port"
fi

if have caddy caddy; then
  port=$(free_port)
  cat >"$home/Caddyfile" <<END
{
  admin off
  auto_https off
}
http://127.0.0.1:$port {
  bind 127.0.0.1
  root * $served
  file_server browse
}
END
  start caddy "$port" caddy run --adapter caddyfile --config "$home/Caddyfile"
  compare_pages caddy "$port"
fi

if have lighttpd lighttpd; then
  port=$(free_port)
  cat >"$home/lighttpd.conf" <<END
server.bind = "127.0.0.1"
server.port = $port
server.document-root = "$served"
server.modules = ("mod_dirlisting")
dir-listing.activate = "enable"
dir-listing.encoding = "utf-8"
END
  start lighttpd "$port" lighttpd -D -f "$home/lighttpd.conf"
  compare_pages lighttpd "$port"
fi
