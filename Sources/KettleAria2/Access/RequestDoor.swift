import KettleModel

/// Which requests reach the methods at all.
///
/// A page of any site can make the user's browser send requests to this machine. It cannot choose
/// the headers `Host` and `Origin` (Fetch Standard, section 3.2).
package struct RequestDoor: Hashable, Sendable {
  /// Origins of pages that may use the interface, such as `http://ariang.example`; `*` allows all.
  package let allowedOrigins: Set<String>

  package init(allowedOrigins: Set<String>) { self.allowedOrigins = allowedOrigins }

  /// Whether the request was sent to this machine under a name that no foreign name server can
  /// give it (DNS rebinding).
  package func admits(host: String?) -> Bool {
    guard let host else { return false }
    var name = host.lowercased()[...]
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      name = name[name.index(after: name.startIndex)..<end]
      return IPAddress(String(name)) != nil
    }
    if let colon = name.lastIndex(of: ":") { name = name[..<colon] }
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    return IPAddress(String(name)) != nil
  }

  /// Whether a page of this origin may use the interface; programs send none. A page that was
  /// opened from a file has the origin `null`, and so has any site in a sandboxed frame.
  package func admits(origin: String?) -> Bool {
    guard let origin, !allowedOrigins.contains("*") else { return true }
    if allowedOrigins.contains(origin) { return true }
    let isExtension = ["moz-extension://", "chrome-extension://", "safari-web-extension://"]
      .contains { origin.hasPrefix($0) }
    if isExtension { return true }
    guard let start = origin.firstRange(of: "://") else { return false }
    return admits(host: String(origin[start.upperBound...]))
  }
}
