/// Values for hosts by name. Each is for the host and those below it, and the longest name counts.
package struct HostValues<Value: Hashable & Sendable>: Hashable, Sendable {
  private var values: [String: Value] = [:]

  package init() {}

  /// The value given under exactly this name. Upper and lower case are the same.
  package subscript(name name: String) -> Value? {
    get { values[HostName.plain(name)] }
    set { values[HostName.plain(name)] = newValue }
  }

  /// Returns the same names with other values.
  package func mapped(_ change: (Value) -> Value) -> HostValues {
    var mapped = self
    mapped.values = values.mapValues(change)
    return mapped
  }

  /// Returns the value for a host.
  package func value(for host: String) -> Value? {
    if values.isEmpty { return nil }
    return HostName.andThoseAbove(host).lazy.compactMap { values[String($0)] }.first
  }
}

/// Comparison of host names.
package enum HostName {
  /// Returns the name in lower case, without the dot of the root.
  package static func plain(_ name: String) -> String {
    let lower = name.lowercased()
    return lower.hasSuffix(".") && lower.utf8.count > 1 ? String(lower.dropLast()) : lower
  }

  /// Whether the text may be the name or the address of a host, as in a URL.
  package static func isUsable(_ name: String) -> Bool {
    guard case .success(let parsed) = TransferURL.parse("https://\(name)/") else { return false }
    return parsed.url.host == name.lowercased() && parsed.login == nil
  }

  /// Whether a host has a name, or is below it.
  ///
  /// - Parameter name: as `plain` returns it.
  package static func isHost(_ host: String, atOrBelow name: String) -> Bool {
    let host = plain(host)
    return host == name || host.hasSuffix("." + name) && IPAddress(host) == nil
  }

  /// Returns a host, its parent domain, and so on. An address has nothing above it.
  fileprivate static func andThoseAbove(_ host: String) -> [Substring] {
    let host = plain(host)
    var names = [host[...]]
    if host.hasPrefix("[") || IPAddress(host) != nil { return names }
    while let dot = names.last?.firstIndex(of: "."), let last = names.last {
      names.append(last[last.index(after: dot)...])
    }
    return names
  }
}

/// The user's settings for single hosts, apart from their proxies.
package struct HostSettings: Hashable, Sendable {
  /// The most connections of all transfers together.
  package var connectionsMax = HostValues<Int>()
  /// Whether `~/.netrc` may supply a login.
  package var usesNetrc = HostValues<Bool>()
  package var userAgent = HostValues<String>()
  /// The absolute path of the file with headers for exactly this origin. They may be secrets.
  package var headerPaths: [Origin: String] = [:]

  package init() {}
}
