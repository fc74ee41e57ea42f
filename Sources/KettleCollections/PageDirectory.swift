import KettleModel

/// The directory of a page.
struct PageDirectory {
  let components: [[UInt8]]
  /// Its path as the URL has it, up to the last slash.
  private let text: Substring

  init(_ url: TransferURL) {
    text = url.path[...(url.path.lastIndex(of: "/") ?? url.path.startIndex)]
    components = DecodedPath(text.utf8).components
  }

  /// Returns nil unless exactly one component is below the directory.
  func child(_ url: TransferURL) -> Child? {
    // Nearly all URLs begin like that of the page, which need not be decoded again for each.
    let path =
      url.path.utf8.starts(with: text.utf8)
      ? DecodedPath(url.path.utf8.dropFirst(text.utf8.count), below: components)
      : DecodedPath(url.path[...].utf8)
    guard path.components.count == components.count + 1, path.components.starts(with: components),
      let name = path.components.last
    else { return nil }
    return Child(name: name, isDirectory: path.isDirectory)
  }
}

/// What a page links to, however it spells the link.
struct Child: Hashable {
  var name: [UInt8]
  var isDirectory: Bool
}

/// A path as servers understand it.
private struct DecodedPath {
  /// The components, decoded once; empty ones, `.` and `..` are resolved in every spelling.
  var components: [[UInt8]]
  /// Whether it ends with a slash.
  var isDirectory = true

  private static let same = Array(".".utf8)
  private static let parent = Array("..".utf8)

  /// - Parameters:
  ///   - path: the path of a URL, or the rest of one.
  ///   - directory: what is before the rest.
  init(_ path: Substring.UTF8View, below directory: [[UInt8]] = []) {
    components = directory
    for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let component = PercentEncoding.decodedLeniently(segment)
      isDirectory = component.isEmpty || component == Self.same || component == Self.parent
      if !isDirectory { components.append(component) }
      if component == Self.parent { _ = components.popLast() }
    }
  }
}
