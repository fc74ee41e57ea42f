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
