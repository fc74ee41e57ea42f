# FTP: lftp and Kettle download a directory from vsftpd, which needs root.
if [ "$(id -u)" -ne 0 ]; then
  skip vsftpd 'it needs root'
elif have vsftpd vsftpd; then
  port=$(free_port)
  mkdir -m 755 "$home/empty"
  cat >"$home/vsftpd.conf" <<END
listen=YES
background=NO
listen_address=127.0.0.1
listen_port=$port
anonymous_enable=YES
no_anon_password=YES
anon_root=$served
local_enable=NO
secure_chroot_dir=$home/empty
seccomp_sandbox=NO
END
  start vsftpd "$port" vsftpd "$home/vsftpd.conf"
  if have lftp lftp; then
    lftp -c "set net:max-retries 2; open ftp://127.0.0.1:$port; mirror /pub '$home/by-lftp'" >"$home/logs/lftp" 2>&1 ||
      fail "lftp cannot download from vsftpd: $(tail -3 "$home/logs/lftp")"
    expect_same lftp "$served/pub" "$home/by-lftp"
  fi
  compare vsftpd "ftp://127.0.0.1:$port/pub/" "$served/pub"
fi
