# An nginx on the loopback: plain, TLS, and places that give each connection little.

nginx_id=
slow_mebibytes=256
small_count=2000
# Hosts 127.0.1.1 and on, for transfers that must not share the connections of one host.
many_hosts=50

start_origin() {
  command -v nginx >/dev/null || fail 'nginx is missing; assets/install-deps.sh bench installs it'
  say "bench: making what is served ($mebibytes MiB)"
  mkdir "$memory/small" "$memory/nginx"
  head -c "$mebibytes"M /dev/urandom >"$memory/big.bin"
  head -c "$slow_mebibytes"M "$memory/big.bin" >"$memory/slow.bin"
  head -c $((small_count * 32768)) "$memory/big.bin" |
    (cd "$memory/small" && split -b 32768 -a 4 -d - f)
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout "$memory/key.pem" -out "$memory/certificate.pem" 2>/dev/null
  # A port is free when nginx could bind it: it writes its process id then, and ends when not.
  port=$((20000 + $$ % 20000))
  while :; do
    serve "$port" "$((port + 1))"
    while [ ! -s "$memory/nginx.pid" ] && kill -0 "$nginx_id" 2>/dev/null; do sleep 0.05; done
    [ ! -s "$memory/nginx.pid" ] || break
    grep -q 'Address already in use' "$memory/nginx.log" || fail "nginx: $(cat "$memory/nginx.log")"
    : >"$memory/nginx.log"
    port=$((port + 2))
  done
  plain=http://127.0.0.1:$port
  secure=https://127.0.0.1:$((port + 1))
}

serve() {
  cat >"$memory/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $memory/nginx.pid;
error_log $memory/nginx.log;
events { worker_connections 4096; }
http {
  log_format bytes '\$body_bytes_sent';
  access_log $memory/access.log bytes;
  sendfile on;
  keepalive_requests 100000;
  client_body_temp_path $memory/nginx/body;
  proxy_temp_path $memory/nginx/proxy;
  fastcgi_temp_path $memory/nginx/fastcgi;
  uwsgi_temp_path $memory/nginx/uwsgi;
  scgi_temp_path $memory/nginx/scgi;
  server {
    listen 127.0.0.1:$1;
    listen 127.0.0.1:$2 ssl;
$(seq -f "    listen 127.0.1.%g:$1;" $many_hosts)
    ssl_certificate $memory/certificate.pem;
    ssl_certificate_key $memory/key.pem;
    root $memory;
    location = /slow.bin { limit_rate 4m; }
    location /trickle/ { try_files /slow.bin =404; limit_rate 256k; }
    location /hold/ { try_files /slow.bin =404; limit_rate 1k; }
    location /middling/ { alias $memory/; limit_rate 32m; }
    location /size/ { rewrite ^/size/(.*)/ /size-\$1.bin last; }
    location = /size-largest.bin { root $world; }
  }
}
END
  # A worker of root's nginx would be another user, who may not look into our directory.
  [ "$(id -u)" -ne 0 ] || sed -i '1i user root;' "$memory/nginx.conf"
  # Both only append to it.
  # shellcheck disable=SC2094
  "$build/origin-sockets" reno 127.0.0.1 "$1,$2" nginx -e "$memory/nginx.log" -c "$memory/nginx.conf" 2>>"$memory/nginx.log" &
  nginx_id=$!
}

stop_origin() {
  [ -z "$nginx_id" ] || kill "$nginx_id" 2>/dev/null || :
  nginx_id=
}

# How many bytes of bodies the origin has sent since `forget_sent`.
forget_sent() { : >"$memory/access.log"; }
sent_bytes() { awk '{ sum += $1 } END { printf "%.0f\n", sum }' "$memory/access.log"; }
