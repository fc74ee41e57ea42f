import KettleModel

/// Lists a directory of a web server from the pages that the server makes of it.
///
/// There is no standard for them. All have a link to each file and each subdirectory, so these are
/// what is read. The rest of the line of a file, with its date and its size, is only kept to see
/// later whether it has changed. The forms that are known to work:
/// - nginx (https://nginx.org/en/docs/http/ngx_http_autoindex_module.html), HTML and JSON
/// - Apache (https://httpd.apache.org/docs/2.4/mod/mod_autoindex.html): plain, fancy and tables
/// - Caddy (https://caddyserver.com/docs/caddyfile/directives/file_server), HTML and JSON
/// - lighttpd (https://redmine.lighttpd.net/projects/lighttpd/wiki/Docs_ModDirlisting)
/// - Python (https://docs.python.org/3/library/http.server.html)
///
/// A link counts if it leads from the directory of the page to one component below it: one that
/// ends with a slash is a directory, any other a file. Links that lead deeper are ignored, because
/// index pages have none. So are those with a query, with which pages sort themselves.
package struct IndexListing: CollectionAdapter {
  package let byteCountMax = 16 << 20

  /// How many bytes the base and the directory may have together in all entries of a page. A
  /// redirect can make both long, and each entry repeats them.
  private static let repeatedByteCountMax = 64 << 20

  private let url: TransferURL
  private let root: [[UInt8]]

  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard case .success(let parsed) = TransferURL.parse(text),
      parsed.url.scheme.family == .http, parsed.url.path.hasSuffix("/")
    else { return nil }
    return .success(CollectionSource(.index, name: parsed.url.text, url: parsed.url))
  }

  package init?(_ source: CollectionSource) {
    guard case .success(source)? = Self.source(named: source.name, in: CollectionEnvironment([:]))
    else { return nil }
    url = source.url
    root = PageDirectory(url).components
  }

  package var first: ListingRequest { ListingRequest(url) }

  package var rules: ListingRequest? {
    guard case .success(let parsed) = url.resolving("/robots.txt") else { return nil }
    return ListingRequest(parsed.url, form: .rules)
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let directory = PageDirectory(answer.url)
    guard directory.components.starts(with: root) else {
      guard request.depth > 0 else {
        throw ListingProblem("it leads to another directory, \(answer.url.text)")
      }
      return ListingPage()
    }
    let (entries, base) = try Self.entries(of: answer)
    let repeated = request.directory.reduce(base.text.utf8.count) { $0 + $1.utf8.count }
    guard entries.count <= Self.repeatedByteCountMax / max(1, repeated) else {
      throw ListingProblem("it has too many links for a path of this length")
    }
    let references = References(base)
    var page = ListingPage()
    var seen: Set<Child> = []
    for entry in entries {
      guard let url = references.resolved(entry.reference), url.origin == answer.url.origin,
        url.query == nil, let child = directory.child(url), seen.insert(child).inserted
      else { continue }
      Self.add(child, url, listedAs: entry, of: request, to: &page)
    }
    if seen.isEmpty, request.depth == 0 { throw ListingProblem("it lists no files") }
    return page
  }

  private static func add(
    _ child: Child, _ url: TransferURL, listedAs entry: Entry, of request: ListingRequest,
    to page: inout ListingPage
  ) {
    guard let (names, path) = request.entry(named: child.name) else {
      page.refusedCount += 1
      return
    }
    if child.isDirectory {
      page.further.append(ListingRequest(url, directory: names, depth: request.depth + 1))
    } else {
      page.members.append(
        ListedMember(path: path, url: url, byteCount: entry.byteCount, stamp: entry.stamp))
    }
  }
}

/// Resolves the references of a page.
private struct References {
  private let base: TransferURL
  /// The URL of the base up to the last slash of its path; nil if it has dot segments.
  private let directory: String?

  init(_ base: TransferURL) {
    self.base = base
    let path = base.path[...(base.path.lastIndex(of: "/") ?? base.path.startIndex)]
    directory = path.contains("/.") ? nil : base.origin.text + path
  }

  /// Returns nil for a reference that is no URL which Kettle can fetch.
  func resolved(_ reference: String) -> TransferURL? {
    if let directory, Self.isPlain(reference),
      let url = TransferURL(plain: (directory + reference).utf8.span)
    {
      return url
    }
    guard case .success(let parsed) = base.resolving(reference) else { return nil }
    return parsed.url
  }

  /// Whether it is a name, as nearly all references are: it only needs to be appended to the
  /// directory, which takes a tenth of the time. `..` may be, because such a path is no child.
  private static func isPlain(_ reference: String) -> Bool {
    let name =
      reference.utf8.last == UInt8(ascii: "/") ? reference.utf8.dropLast() : reference.utf8[...]
    return !name.isEmpty
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "%"), UInt8(ascii: "-"),
          UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"):
          true
        default: false
        }
      }
  }
}

// MARK: - Forms

extension IndexListing {
  /// A link or an element of a JSON list.
  private struct Entry {
    /// The URL, relative to the base.
    var reference: String
    /// The exact size, if the document says it.
    var byteCount: Int64?
    /// What the document says of the version of the file: usually its date and a rounded size.
    var stamp: String?
  }

  private enum Form {
    case html, json
  }

  /// The entries of a page, and what their references are relative to.
  private static func entries(
    of answer: ListingAnswer
  ) throws(ListingProblem) -> (entries: [Entry], base: TransferURL) {
    switch form(of: answer) {
    case nil: throw ListingProblem("it is neither HTML nor JSON")
    case .json: return (try entries(ofJSON: answer.bytes), answer.url)
    case .html:
      let page = try HTMLLinks(answer.bytes)
      let entries = page.links.map {
        Entry(
          reference: $0.reference, byteCount: exactByteCount(in: $0.following),
          stamp: stamp(in: $0.following))
      }
      guard let base = page.base, case .success(let parsed) = answer.url.resolving(base),
        parsed.url.origin == answer.url.origin
      else { return (entries, answer.url) }
      return (entries, parsed.url)
    }
  }

  /// The media type decides if it says anything, or else the first byte.
  private static func form(of answer: ListingAnswer) -> Form? {
    if let type = answer.mediaType {
      if FileName.mediaTypesOfPages.contains(type) { return .html }
      if type == "application/json" || type.hasSuffix("+json") { return .json }
      guard type.hasPrefix("text/") || type == "application/octet-stream" else { return nil }
    }
    // Blanks, and the byte order mark.
    let ignored: Set<UInt8> = [9, 10, 13, 32, 0xEF, 0xBB, 0xBF]
    return switch answer.bytes.first(where: { !ignored.contains($0) }) {
    case UInt8(ascii: "<"): .html
    case UInt8(ascii: "["): .json
    default: nil
    }
  }

  /// The size that nginx writes after a link: `</a>`, blanks, `12-Jun-2025 14:21`, and the number
  /// in 20 columns at the end of the line.
  ///
  /// No other form is read: numbers are rounded, in units of their own, with or without a letter
  /// for them. nginx too writes fewer columns when `autoindex_exact_size` is off.
  private static func exactByteCount(in text: ArraySlice<UInt8>) -> Int64? {
    let line = text.drop { $0 == 32 }.prefix { $0 != 13 && $0 != 10 }
    let moment = line.prefix(17)
    let number = line.dropFirst(17)
    let form = Array("00-Aaa-0000 00:00".utf8)
    guard line.endIndex < text.endIndex, moment.count == form.count, number.count == 20,
      zip(moment, form).allSatisfy(isOfForm), number.first == 32
    else { return nil }
    let digits = number.drop { $0 == 32 }
    return DecimalDigits.int64(String(decoding: digits, as: UTF8.self)[...])
  }

  /// The text after a link without tags, each run of blanks as one; nil if it has no digit.
  private static func stamp(in text: ArraySlice<UInt8>) -> String? {
    var line: [UInt8] = []
    var isInTag = false
    var followsBlank = false
    var hasDigit = false
    for byte in text {
      switch byte {
      case UInt8(ascii: "<"): isInTag = true
      case UInt8(ascii: ">") where isInTag:
        isInTag = false
        followsBlank = true
      case _ where isInTag: break
      case 9, 10, 13, 32: followsBlank = true
      default:
        if followsBlank, !line.isEmpty { line.append(32) }
        followsBlank = false
        hasDigit = hasDigit || (48...57).contains(byte)
        line.append(byte)
      }
    }
    return hasDigit ? String(decoding: line, as: UTF8.self) : nil
  }

  private static func isOfForm(_ byte: UInt8, _ form: UInt8) -> Bool {
    switch form {
    case UInt8(ascii: "0"): (48...57).contains(byte)
    case UInt8(ascii: "A"): (65...90).contains(byte)
    case UInt8(ascii: "a"): (97...122).contains(byte)
    default: byte == form
    }
  }
}

// MARK: - JSON

extension IndexListing {
  /// An element of the JSON of nginx or Caddy.
  private struct Item: Decodable {
    var name: String
    var size: Int64?
    /// nginx: `file`, `directory`, or `other` for what cannot be fetched.
    var type: String?
    /// Caddy: relative to the directory and percent-encoded.
    var url: String?
    var isDirectory: Bool?
    var isLink: Bool?
    /// nginx.
    var modified: String?
    /// Caddy.
    var modifiedAt: String?

    enum CodingKeys: String, CodingKey {
      case name, size, type, url
      case modified = "mtime"
      case modifiedAt = "mod_time"
      case isDirectory = "is_dir"
      case isLink = "is_symlink"
    }

    /// nil for what is no element of either form.
    var entry: Entry? {
      let byteCount = size.flatMap { $0 < 0 ? nil : $0 }
      if let url, let isDirectory {
        let ending = isDirectory && url.utf8.last != UInt8(ascii: "/") ? "/" : ""
        // Older versions give the length of a link and not that of the file it leads to.
        return Entry(
          reference: url + ending, byteCount: isLink == true ? nil : byteCount, stamp: modifiedAt)
      }
      let reference = "./" + PercentEncoding.encoded(component: name)
      switch type {
      case "directory": return Entry(reference: reference + "/")
      case "file": return Entry(reference: reference, byteCount: byteCount, stamp: modified)
      default: return nil
      }
    }
  }

  private static func entries(ofJSON bytes: [UInt8]) throws(ListingProblem) -> [Entry] {
    // Caddy's is null where some versions list an empty directory.
    guard let decoded = ListedJSON.decode([Item]?.self, from: bytes) else {
      throw ListingProblem("it is not a list of files in JSON")
    }
    let items = decoded ?? []
    guard items.count <= HTMLLinks.countMax else { throw HTMLLinks.tooMany }
    return items.compactMap(\.entry)
  }
}
