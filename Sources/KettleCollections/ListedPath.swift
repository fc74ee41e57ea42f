import KettleModel

/// A path of a list: where the file is put, and the reference that leads to it.
///
/// Invariant: the reference names nothing above the URL that it is resolved against, and no other
/// server.
package struct ListedPath: Hashable, Sendable {
  /// Below the directory of the collection.
  package let path: MemberPath
  /// A relative reference (RFC 3986, section 4.2), percent-encoded by component.
  package let reference: String

  /// Returns nil for a path that is absolute, leads up or cannot be made a path of files.
  package init?(_ text: String) {
    guard let path = MemberPath(foreign: text) else { return nil }
    self.path = path
    reference = PercentEncoding.encoded(path: text)
  }

  /// The URL of the file beside a document; nil if it would be too long.
  package func url(beside document: TransferURL) -> TransferURL? {
    guard case .success(let parsed) = document.resolving(reference) else { return nil }
    return parsed.url
  }
}

extension ListingRequest {
  /// What a document calls an entry of its directory: the components below the directory of the
  /// collection, and the path that is made of them. Returns nil for a name that is no single
  /// component, as an encoded slash makes two of one, and for one that cannot be used.
  func entry(named name: [UInt8]) -> (components: [String], path: MemberPath)? {
    let components = directory + [String(decoding: name, as: UTF8.self)]
    guard !name.contains(UInt8(ascii: "/")), let path = MemberPath(foreign: components) else {
      return nil
    }
    return (components, path)
  }
}

extension MemberPath {
  /// The path of a file that a document gives as a name and as the directory that it is in. Returns
  /// nil for a name that is no single component, and for what cannot be used.
  init?(_ name: String?, in directory: String?) {
    // Bytes, because to `Character` a combining mark hides the slash before it.
    let directories = (directory ?? "").utf8.split(separator: UInt8(ascii: "/"))
    guard let name, !["", "."].contains(name), !name.utf8.contains(UInt8(ascii: "/")) else {
      return nil
    }
    self.init(foreign: directories.map { String(Substring($0)) } + [name])
  }
}

extension TransferURL {
  /// The components of the path, without empty ones.
  package var components: [Substring] { path.split(separator: "/") }

  /// The text after the last slash of the path.
  package var lastComponent: Substring {
    path[(path.lastIndex(of: "/") ?? path.startIndex)...].drop { $0 == "/" }
  }
}

extension CollectionEnvironment {
  /// The endpoint of a service: that of the variable if it is set, or else the usual one.
  package func endpoint(_ name: String, usual: String) -> TransferURL? {
    if let url = url(name) { return url }
    guard case .success(let parsed) = TransferURL.parse(usual) else { return nil }
    return parsed.url
  }
}

extension ListingAnswer {
  /// The URL that the references of a list are resolved against.
  ///
  /// It is that of the answer (RFC 3986, section 5.1.3). Some services redirect to a store that
  /// knows the list by another name, such as a digest or a token, and has no other file beside it:
  /// there the URL counts that was asked first.
  package func base(for first: TransferURL) -> TransferURL {
    url.lastComponent == first.lastComponent ? url : first
  }
}
