import KettleModel

extension FleetSettings {
  /// Where the file of an order goes; nil if that is not below a root.
  package func place(for order: FleetOrder) -> String? {
    guard let folder = order.folder else { return place(for: order.directory) }
    return place(for: order.directory).flatMap { place(for: "\($0)/\(folder.text)") }
  }

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
