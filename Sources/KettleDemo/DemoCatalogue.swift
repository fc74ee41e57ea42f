/// The files that the demo origin serves.
package struct DemoCatalogue: Hashable, Sendable {
  package var items: [DemoItem]

  package init(items: [DemoItem]) { self.items = items }

  /// Returns the item that is served under `path`, or nil.
  package func item(at path: String) -> DemoItem? {
    items.first { $0.path == path }
  }
}

/// One titled file of the catalogue.
package struct DemoItem: Hashable, Sendable {
  package var title: String
  /// Also the last component of its path; only letters, digits, `-` and `.`.
  package var fileName: String
  package var byteCount: Int64
  /// The speed of each reply, so that a person can watch and pause; several connections are faster,
  /// as with most servers.
  package var bytesPerSecond: Int64
  /// Lower-case hexadecimal digest of the whole file.
  package var sha256: String

  package init(
    title: String, fileName: String, byteCount: Int64, bytesPerSecond: Int64, sha256: String = ""
  ) {
    self.title = title
    self.fileName = fileName
    self.byteCount = byteCount
    self.bytesPerSecond = bytesPerSecond
    self.sha256 = sha256
  }

  /// The part of its URL after host and port.
  package var path: String { "/" + fileName }
}
