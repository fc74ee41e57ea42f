/// How this machine takes part in a fleet. The service keeps it in its state directory.
package struct FleetSettings: Hashable, Sendable, Codable {
  /// A connection URI or string of libpq, without a password
  /// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
  package var database: String
  /// Unique in the fleet.
  package var name: String
  /// Proves that this machine owns its name.
  package var secret: String
  package var labels: [String]
  /// How many transfers it claims at most; 0 for a machine that only adds and watches.
  package var take: Int
  /// Where files of the fleet may go on this machine: absolute paths and `s3://` prefixes. The
  /// first one gets the files that name no directory.
  package var roots: [String]
  /// Where it gives files that all machines want to the other ones, in the form of `ShareAddress`;
  /// nil if it does not.
  package var shareAddress: String?

  package init(
    database: String, name: String, secret: String, labels: [String], take: Int, roots: [String],
    shareAddress: String? = nil
  ) {
    self.database = database
    self.name = name
    self.secret = secret
    self.labels = labels
    self.take = take
    self.roots = roots
    self.shareAddress = shareAddress
  }

  /// The directory below a root that has the files of claims until they are published.
  package static let stagingName = ".kettle-fleet"

  /// The names that orders for this machine may have: its own and its labels.
  package var names: [String] { [name] + labels }

  /// Returns a directory in one form; nil if it is not below a root.
  ///
  /// A path is compared by its components, so that neither `..` nor a similar name leads out.
  package func place(for directory: String?) -> String? {
    guard let directory else { return roots.first }
    if ObjectPrefix.isMeant(by: directory) {
      guard let prefix = ObjectPrefix(directory) else { return nil }
      return roots.contains { Self.isBelow(prefix, $0) } ? prefix.text : nil
    }
    guard directory.isAbsolutePath else { return nil }
    let components = Self.components(of: directory)
    guard !components.contains(".."), !components.contains(".") else { return nil }
    // The files of other claims are in there.
    guard !components.contains(where: { $0 == Self.stagingName }) else { return nil }
    let isPermitted = roots.contains { root in
      root.isAbsolutePath && components.starts(with: Self.components(of: root))
    }
    return isPermitted ? "/" + components.joined(separator: "/") : nil
  }

  private static func components(of path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: true)
  }

  private static func isBelow(_ prefix: ObjectPrefix, _ root: String) -> Bool {
    guard let root = ObjectPrefix(root), root.bucket == prefix.bucket else { return false }
    return components(of: prefix.prefix).starts(with: components(of: root.prefix))
  }
}

/// `ADDRESS:PORT`, where a machine listens for the other ones of its fleet.
package struct ShareAddress: Hashable, Sendable {
  /// Without brackets.
  package let address: String
  package let port: Int

  /// Returns nil for another text. A name is none: it may lead elsewhere on another machine. Nor is
  /// the address for all interfaces, or a port that a URL leaves out.
  package init?(_ text: String) {
    guard let url = try? TransferURL.parse("http://\(text)/").get().url,
      url.origin.text == "http://" + text, text.hasSuffix(":\(url.port)")
    else { return nil }
    let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
    guard IPAddress(host) != nil, host != "0.0.0.0", host != "::" else { return nil }
    address = host
    port = url.port
  }
}

/// How a machine stands in its fleet at the moment.
package struct FleetStanding: Hashable, Sendable, Codable {
  package var settings: FleetSettings
  /// Why the table does not answer; nil while it does.
  package var problem: String?
  /// Since when it has not answered.
  package var silentSince: WallTime?
  package var claimedCount: Int
  package var isDraining: Bool

  package init(
    settings: FleetSettings, problem: String? = nil, silentSince: WallTime? = nil,
    claimedCount: Int = 0, isDraining: Bool = false
  ) {
    self.settings = settings
    self.problem = problem
    self.silentSince = silentSince
    self.claimedCount = claimedCount
    self.isDraining = isDraining
  }
}
