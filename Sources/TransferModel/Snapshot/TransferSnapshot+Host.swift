extension TransferSnapshot {
  /// The host of the URL, without the port; an IPv6 address keeps its brackets.
  package var host: Substring {
    guard let scheme = url.firstRange(of: "://") else { return "" }
    let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    if authority.first == "[", let end = authority.firstIndex(of: "]") {
      return authority[...end]
    }
    return authority.prefix { $0 != ":" }
  }

  /// Whether it comes from a host, or from one below it.
  package func hasHost(_ wanted: String) -> Bool {
    let wanted = wanted.lowercased()
    return host == wanted || host.hasSuffix("." + wanted)
  }
}
