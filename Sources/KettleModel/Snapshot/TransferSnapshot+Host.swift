extension TransferSnapshot {
  /// The host of the URL, without the port; an IPv6 address keeps its brackets.
  package var host: Substring {
    // By bytes, because a long list is sorted by it.
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return "" }
    let authority = bytes[bytes.index(colon, offsetBy: 3)...].prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
    }
    if authority.first == UInt8(ascii: "["),
      let end = authority.firstIndex(of: UInt8(ascii: "]"))
    {
      return url[authority.startIndex...end]
    }
    let end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    return url[authority.startIndex..<end]
  }

  /// Whether it comes from a host, or from one below it.
  package func hasHost(_ wanted: String) -> Bool {
    let wanted = wanted.lowercased()
    return host == wanted || host.hasSuffix("." + wanted)
  }
}
