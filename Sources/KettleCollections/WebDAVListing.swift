import KettleModel

/// Lists a directory of a server that speaks WebDAV, level by level (RFC 4918, section 9.1).
///
/// It is named with the scheme `davs`, or `dav` for a server without TLS, because its files have
/// URLs like any others. A public share of Nextcloud is named by its link, as in
/// `davs://cloud.example.org/s/TOKEN`
/// (https://docs.nextcloud.com/server/latest/user_manual/en/files/access_webdav.html).
package struct WebDAVListing: CollectionAdapter {
  package let byteCountMax = 64 << 20

  private let url: TransferURL

  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard let typed = parsed(text)?.url else { return nil }
    guard typed.query == nil, let url = directory(of: typed) else {
      return .failure(ListingProblem("it is no directory of a server"))
    }
    let scheme = typed.scheme == .https ? "davs" : "dav"
    let rest = typed.text.dropFirst(typed.scheme.rawValue.utf8.count)
    return .success(CollectionSource(.webDAV, name: scheme + rest, url: url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .webDAV, let typed = Self.parsed(source.name)?.url,
      let url = Self.directory(of: typed), url == source.url
    else { return nil }
    self.url = url
  }

  /// The URL with the scheme of the web, and its login; nil for another scheme.
  static func parsed(_ text: String) -> TransferURL.Parsed? {
    let name = text.trimmingBlanks()
    guard let mark = name.firstRange(of: "://") else { return nil }
    let scheme: String
    switch name[..<mark.lowerBound].lowercased() {
    case "davs", "webdavs": scheme = "https"
    case "dav", "webdav": scheme = "http"
    default: return nil
    }
    return try? TransferURL.parse(scheme + name[mark.lowerBound...]).get()
  }

  private static func directory(of url: TransferURL) -> TransferURL? {
    let components = url.components
    var text = url.origin.text
    if components.count >= 2, components[components.count - 2] == "s",
      let token = components.last, isToken(token)
    {
      var before = components.dropLast(2)
      if before.last == "index.php" { before = before.dropLast() }
      text += "/" + (before + ["public.php", "dav", "files", token]).joined(separator: "/") + "/"
    } else {
      text += url.path.hasSuffix("/") ? url.path : url.path + "/"
    }
    return try? TransferURL.parse(text).get().url
  }

  /// Nextcloud makes tokens of fifteen letters and digits, or as many as its configuration says.
  private static func isToken(_ text: Substring) -> Bool {
    text.utf8.count >= 10
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
      }
  }

  package var first: ListingRequest { ListingRequest(url, form: .properties) }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let resources = try WebDAVResource.read(answer.bytes)
    let directory = PageDirectory(answer.url)
    var page = ListingPage()
    var seen: Set<[UInt8]> = []
    for resource in resources {
      // The directory itself is among them.
      guard case .success(let parsed) = answer.url.resolving(resource.reference),
        parsed.url.origin == answer.url.origin, parsed.url.query == nil,
        let child = directory.child(parsed.url), seen.insert(child.name).inserted
      else { continue }
      add(resource, as: child, at: parsed.url, of: request, to: &page)
    }
    return page
  }

  private func add(
    _ resource: WebDAVResource, as child: Child, at url: TransferURL, of request: ListingRequest,
    to page: inout ListingPage
  ) {
    guard let (names, path) = request.entry(named: child.name) else {
      page.refusedCount += 1
      return
    }
    guard resource.isDirectory else {
      page.members.append(
        ListedMember(path: path, url: url, byteCount: resource.byteCount, stamp: resource.stamp))
      return
    }
    guard let directory = url.path.hasSuffix("/") ? url : url.below("") else { return }
    page.further.append(
      ListingRequest(
        directory, directory: names, depth: request.depth + 1, form: .properties))
  }
}

/// What a multistatus says of a file or a directory (RFC 4918, sections 13 and 15).
struct WebDAVResource: Hashable {
  /// Relative to the URL that answered.
  var reference = ""
  var isDirectory = false
  var byteCount: Int64?
  /// The ETag, or else the date.
  var stamp: String?

  static func read(_ bytes: [UInt8]) throws(ListingProblem) -> [WebDAVResource] {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ListingProblem("it is not UTF-8 text")
    }
    var reader = MultistatusReader(bytes)
    return try reader.read()
  }
}

private struct MultistatusReader {
  private static let namespace = "DAV:"

  private var reader: XMLReader
  private var path: [String] = []
  private var text = ""
  private var resource = WebDAVResource()
  private var resources: [WebDAVResource] = []

  init(_ bytes: [UInt8]) { reader = XMLReader(bytes) }

  mutating func read() throws(ListingProblem) -> [WebDAVResource] {
    var isMultistatus = false
    do throws(XMLProblem) {
      while let event = try reader.next() {
        switch event {
        case .start(let element):
          let name = element.namespace == Self.namespace ? element.name : ""
          if path.isEmpty { isMultistatus = name == "multistatus" }
          path.append(name)
          text = ""
          if path.dropFirst(2) == ["propstat", "prop", "resourcetype", "collection"] {
            resource.isDirectory = true
          }
        case .text(let piece): text += piece
        case .end: end()
        }
      }
    } catch {
      throw ListingProblem(error.words)
    }
    guard isMultistatus else { throw ListingProblem("it is no answer of a WebDAV server") }
    return resources
  }

  private mutating func end() {
    let value = text.trimmingBlanks()
    switch path.dropFirst() {
    case ["response", "href"]: resource.reference = value
    // Properties that a server does not have come empty, with another status.
    case ["response", "propstat", "prop", "getcontentlength"]:
      resource.byteCount = DecimalDigits.int64(value[...]) ?? resource.byteCount
    case ["response", "propstat", "prop", "getetag"]:
      if !value.isEmpty { resource.stamp = value }
    case ["response", "propstat", "prop", "getlastmodified"]:
      if !value.isEmpty { resource.stamp = resource.stamp ?? value }
    case ["response"]:
      if !resource.reference.isEmpty { resources.append(resource) }
      resource = WebDAVResource()
    default: break
    }
    _ = path.popLast()
    text = ""
  }
}
