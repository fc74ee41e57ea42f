# An nginx at the other end of the link. It serves from memory.

small_files=500
origin=http://$server_address

serve_files() {
  command -v nginx >/dev/null || fail 'nginx is missing; assets/install-deps.sh bench installs it'
  mkdir "$memory/small" "$memory/nginx"
  head -c 200M /dev/urandom >"$memory/200.bin"
  head -c 100M "$memory/200.bin" >"$memory/100.bin"
  head -c 64M "$memory/200.bin" >"$memory/64.bin"
  head -c 32M "$memory/200.bin" >"$memory/32.bin"
  head -c 1 "$memory/200.bin" >"$memory/byte.bin"
  head -c $((small_files * 65536)) "$memory/200.bin" |
    (cd "$memory/small" && split -b 65536 -a 3 -d - f)
  (cd "$memory/small" && ls) | sed "s|^|$origin/small/|" >"$world/urls"
  write_server_configuration >"$memory/nginx.conf"
  # The congestion control of most servers.
  at_server "$build/origin-sockets" cubic "$server_address" 80 \
    nginx -e "$memory/nginx.log" -c "$memory/nginx.conf" &
  server_id=$!
  while [ ! -s "$memory/nginx.pid" ]; do
    kill -0 "$server_id" 2>/dev/null || fail "nginx: $(cat "$memory/nginx.log")"
    sleep 0.05
  done
}

write_server_configuration() {
  cat <<END
user root;
daemon off;
worker_processes 1;
pid $memory/nginx.pid;
error_log $memory/nginx.log;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 100000;
  client_body_temp_path $memory/nginx/body;
  proxy_temp_path $memory/nginx/proxy;
  fastcgi_temp_path $memory/nginx/fastcgi;
  uwsgi_temp_path $memory/nginx/uwsgi;
  scgi_temp_path $memory/nginx/scgi;
  server {
    listen $server_address:80;
    root $memory;
    location /throttled/ { alias $memory/; limit_rate 2m; }
  }
}
END
}
