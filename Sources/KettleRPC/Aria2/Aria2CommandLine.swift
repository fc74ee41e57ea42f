import KettleModel

/// A command line of aria2c, read into its options and URIs.
package struct Aria2CommandLine: Hashable, Sendable {
  /// What is wrong with it, in a sentence without a period.
  package struct Problem: Error, Hashable, Sendable {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
  }

  /// In the order given; metalinks by path are among them.
  package private(set) var uris: [String] = []
  /// The last value of each; `header` has all.
  package private(set) var options: [String: RPCValue] = [:]

  package init(_ words: [String]) throws(Problem) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        uris += rest
        return
      }
      if word.hasPrefix("--") {
        try readLong(String(word.dropFirst(2)), &rest)
      } else if word.hasPrefix("-"), word != "-" {
        try readShort(word.dropFirst(), &rest)
      } else {
        uris.append(word)
      }
    }
  }

  private mutating func readLong(
    _ text: String, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    let value = parts.count == 2 ? String(parts[1]) : nil
    switch Aria2OptionTable.form(of: name) {
    case nil: throw Problem("There is no option --\(name); see aria2c(1)")
    case .flag: set(name, value ?? "true")
    case .value:
      guard let value = value ?? rest.popFirst() else {
        throw Problem("The option --\(name) needs a value")
      }
      set(name, value)
    }
  }

  /// Letters of flags may follow each other; the value of another is the rest, or the next word.
  private mutating func readShort(
    _ letters: Substring, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let name = Aria2OptionTable.shortNames[letter] else {
        throw Problem("There is no option -\(letter); see aria2c(1)")
      }
      if Aria2OptionTable.form(of: name) == .flag {
        set(name, "true")
        continue
      }
      guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
        throw Problem("The option -\(letter) needs a value")
      }
      set(name, value)
      return
    }
  }

  private mutating func set(_ name: String, _ value: String) {
    if name == "header", let earlier = options[name]?.list {
      options[name] = .list(earlier + [.text(value)])
    } else {
      options[name] = name == "header" ? [.text(value)] : .text(value)
    }
  }

  /// Adds the options of a configuration file, one `name=value` on each line. Those of the command
  /// line go before them.
  package mutating func addConfiguration(_ text: String) {
    let own = options
    options = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.drop { $0 == " " || $0 == "\t" }
      guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
      set(
        String(line[..<equals]).trimmingBlanks(),
        String(line[line.index(after: equals)...]).trimmingBlanks())
    }
    options.merge(own) { $1 }
  }

  /// Takes an option that the caller handles itself.
  package mutating func take(_ name: String) -> String? {
    let value = options.removeValue(forKey: name)?.text
    return value?.isEmpty == true ? nil : value
  }

  /// Takes a flag. Returns false unless it is set.
  package mutating func takeFlag(_ name: String) -> Bool { take(name) == "true" }
}

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

/// The file of `aria2c -i`: the URIs of a download on a line, separated by tabs, and its options on
/// indented lines after it.
package struct Aria2InputFile: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var uris: [String]
    package var options: [String: RPCValue]

    package init(uris: [String], options: [String: RPCValue] = [:]) {
      self.uris = uris
      self.options = options
    }
  }

  package private(set) var entries: [Entry] = []

  package init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix(" ") || line.hasPrefix("\t") {
        readOption(line)
        continue
      }
      let uris = line.split(separator: "\t").map { String($0).trimmingBlanks() }
        .filter { !$0.isEmpty }
      if !uris.isEmpty { entries.append(Entry(uris: uris)) }
    }
  }

  private mutating func readOption(_ line: Substring) {
    guard let equals = line.firstIndex(of: "="), !entries.isEmpty else { return }
    let name = String(line[..<equals]).trimmingBlanks()
    let value = RPCValue.text(String(line[line.index(after: equals)...]).trimmingBlanks())
    let index = entries.count - 1
    if name == "header", let earlier = entries[index].options[name]?.list {
      entries[index].options[name] = .list(earlier + [value])
    } else {
      entries[index].options[name] = name == "header" ? [value] : value
    }
  }
}
