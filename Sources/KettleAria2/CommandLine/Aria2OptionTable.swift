/// The options of aria2c's command line (aria2c(1)).
package enum Aria2OptionTable {
  /// How an option is written.
  package enum Form: Hashable, Sendable {
    /// May be followed by `=true` or `=false`.
    case flag
    /// The rest of the word after `=`, or the next word.
    case value
  }

  /// Returns nil for an option that aria2c does not have.
  package static func form(of name: String) -> Form? {
    if flags.contains(name) { return .flag }
    if values.contains(name) { return .value }
    // BitTorrent's many options mean nothing here.
    return ["bt-", "dht-", "seed-", "peer-"].contains { name.hasPrefix($0) } ? .value : nil
  }

  package static let shortNames: [Character: String] = [
    "a": "file-allocation", "c": "continue", "d": "dir", "D": "daemon", "h": "help",
    "i": "input-file", "j": "max-concurrent-downloads", "k": "min-split-size", "l": "log",
    "m": "max-tries", "M": "metalink-file", "n": "no-netrc", "o": "out", "O": "index-out",
    "p": "ftp-pasv", "P": "parameterized-uri", "q": "quiet", "R": "remote-time", "s": "split",
    "S": "show-files", "t": "timeout", "T": "torrent-file", "u": "max-upload-limit",
    "U": "user-agent", "v": "version", "V": "check-integrity", "x": "max-connection-per-server",
    "Z": "force-sequential",
  ]

  private static let flags: Set<String> = [
    "allow-overwrite", "allow-piece-length-change", "always-resume", "async-dns",
    "auto-file-renaming", "check-certificate", "check-integrity", "conditional-get",
    "content-disposition-default-utf8", "continue", "daemon", "deferred-input", "disable-ipv6",
    "dry-run", "enable-color", "enable-dht", "enable-dht6", "enable-http-keep-alive",
    "enable-http-pipelining", "enable-mmap", "enable-peer-exchange", "enable-rpc", "force-save",
    "force-sequential", "ftp-pasv", "ftp-reuse-connection", "hash-check-only", "help",
    "http-accept-gzip", "http-auth-challenge", "http-no-cache", "human-readable",
    "keep-unfinished-download-result", "metalink-enable-unique-protocol", "no-conf", "no-netrc",
    "no-want-digest-header", "optimize-concurrent-downloads", "parameterized-uri", "pause",
    "pause-metadata", "quiet", "realtime-chunk-checksum", "remote-time", "remove-control-file",
    "reuse-uri", "rpc-allow-origin-all", "rpc-listen-all", "rpc-save-upload-metadata",
    "rpc-secure", "save-not-found", "show-console-readout", "show-files", "stderr",
    "truncate-console-readout", "use-head", "version", "bt-detach-seed-only", "bt-enable-lpd",
    "bt-enable-hook-after-hash-check", "bt-force-encryption", "bt-hash-check-seed",
    "bt-load-saved-metadata", "bt-metadata-only", "bt-remove-unselected-file",
    "bt-require-crypto", "bt-save-metadata", "bt-seed-unverified",
  ]

  private static let values: Set<String> = [
    "all-proxy", "all-proxy-passwd", "all-proxy-user", "async-dns-server", "auto-save-interval",
    "ca-certificate", "certificate", "checksum", "conf-path", "connect-timeout",
    "console-log-level", "dir", "disk-cache", "download-result", "dscp", "event-poll",
    "file-allocation", "follow-metalink", "follow-torrent", "ftp-passwd", "ftp-proxy",
    "ftp-proxy-passwd", "ftp-proxy-user", "ftp-type", "ftp-user", "gid", "header", "http-passwd",
    "http-proxy", "http-proxy-passwd", "http-proxy-user", "http-user", "https-proxy",
    "https-proxy-passwd", "https-proxy-user", "index-out", "input-file", "interface",
    "listen-port", "load-cookies", "log", "log-level", "lowest-speed-limit",
    "max-concurrent-downloads", "max-connection-per-server", "max-download-limit",
    "max-download-result", "max-file-not-found", "max-mmap-limit", "max-overall-download-limit",
    "max-overall-upload-limit", "max-resume-failure-tries", "max-tries", "max-upload-limit",
    "metalink-base-uri", "metalink-file", "metalink-language", "metalink-location",
    "metalink-os", "metalink-preferred-protocol", "metalink-version", "min-split-size",
    "min-tls-version", "multiple-interface", "netrc-path", "no-file-allocation-limit",
    "no-proxy", "on-bt-download-complete", "on-download-complete", "on-download-error",
    "on-download-pause", "on-download-start", "on-download-stop", "out", "piece-length",
    "private-key", "proxy-method", "referer", "retry-wait", "rlimit-nofile", "rpc-certificate",
    "rpc-listen-port", "rpc-max-request-size", "rpc-passwd", "rpc-private-key", "rpc-secret",
    "rpc-user", "save-cookies", "save-session", "save-session-interval", "select-file",
    "server-stat-if", "server-stat-of", "server-stat-timeout", "socket-recv-buffer-size",
    "split", "ssh-host-key-md", "stop", "stop-with-process", "stream-piece-selector",
    "summary-interval", "timeout", "torrent-file", "uri-selector", "user-agent",
  ]

  /// The options that Kettle does not have and that change what happens, with the values that ask
  /// for nothing. Any other value is refused.
  private static let reliedOn: [String: Set<String>] = [
    "async-dns-server": [""], "ca-certificate": [""], "check-integrity": ["false"],
    "conditional-get": ["false"], "continue": ["true", "false"], "disable-ipv6": ["false"],
    "dscp": ["", "0"], "follow-metalink": ["", "true", "mem"], "ftp-pasv": ["true"],
    "ftp-type": ["", "binary"], "hash-check-only": ["false"], "http-no-cache": ["false"],
    "index-out": [""], "interface": [""], "lowest-speed-limit": ["", "0"],
    "max-file-not-found": ["", "0"], "metalink-base-uri": [""], "metalink-language": [""],
    "metalink-location": [""], "metalink-os": [""], "metalink-version": [""],
    "min-tls-version": ["", "TLSv1.2"], "multiple-interface": [""], "netrc-path": [""],
    "proxy-method": ["", "get"], "remove-control-file": ["false"],
    "rpc-allow-origin-all": ["false"],
    "rpc-certificate": [""], "rpc-listen-all": ["false"], "rpc-passwd": [""],
    "rpc-private-key": [""], "rpc-secure": ["false"], "rpc-user": [""], "show-files": ["false"],
    "ssh-host-key-md": [""], "stop-with-process": ["", "0"], "use-head": ["false"],
  ]

  /// Returns why options cannot be accepted, because ignoring one of them would matter; nil if they
  /// can.
  package static func refusal(of options: [String: RPCValue]) -> String? {
    options.keys.sorted().first { name in
      reliedOn[name].map { !$0.contains(options[name]?.text ?? "") } ?? false
    }.map { "The option --\($0) is not supported; leave it out" }
  }
}
