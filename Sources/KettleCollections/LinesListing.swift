import KettleModel

/// Lists the files of a list with a JSON object on each line (https://jsonlines.org).
///
/// An object has a `path`, a `url`, or both. Without a URL, the file is at its path beside the
/// list; without a path, it has the name in its URL. It may have a `size` in bytes, other URLs as
/// `mirrors`, and a digest as `sha512`, `sha256`, `sha1` or `md5`. Other keys are ignored.
package struct LinesListing: CollectionAdapter {
  /// The object of a line.
  private struct Line: Decodable {
    var path: String?
    var url: String?
    var mirrors: [String]?
    var size: Int64?
    var sha512: String?
    var sha256: String?
    var sha1: String?
    var md5: String?

    /// The digests, the strongest one first.
    var digests: [(algorithm: Checksum.Algorithm, hex: String?)] {
      [(.sha512, sha512), (.sha256, sha256), (.sha1, sha1), (.md5, md5)]
    }
  }

  private let source: CollectionSource

  package let byteCountMax = 64 << 20
  package var first: ListingRequest { ListingRequest(source.url) }

  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard case .success(let parsed) = TransferURL.parse(text), isList(parsed.url) else {
      return nil
    }
    return .success(CollectionSource(.lines, name: parsed.url.text, url: parsed.url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .lines, source.name == source.url.text, Self.isList(source.url) else {
      return nil
    }
    self.source = source
  }

  private static func isList(_ url: TransferURL) -> Bool {
    let name = url.lastComponent.lowercased()
    return url.scheme.family == .http && (name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson"))
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let base = answer.base(for: source.url)
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var rest = answer.bytes.dropFirst(answer.bytes.starts(with: mark) ? mark.count : 0)
    var page = ListingPage()
    var number = 0
    // One line at a time: all lines of a list of line feeds would not fit into memory.
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      let line = rest[..<end]
      rest = rest[end...].dropFirst()
      number += 1
      guard !line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) else { continue }
      guard let object = ListedJSON.decode(Line.self, from: line) else {
        throw ListingProblem("line \(number) is not a JSON object that describes a file")
      }
      if let member = try Self.member(object, number: number, base) {
        page.members.append(member)
      } else {
        page.refusedCount += 1
      }
    }
    guard !page.members.isEmpty || page.refusedCount > 0 else {
      throw ListingProblem("it lists no file")
    }
    return page
  }

  /// Returns nil if the path cannot be used.
  private static func member(
    _ line: Line, number: Int, _ base: TransferURL
  ) throws(ListingProblem) -> ListedMember? {
    if let byteCount = line.size, byteCount < 0 {
      throw ListingProblem("line \(number) has a size that is negative")
    }
    let checksum = try checksum(line, number)
    let path: MemberPath
    let url: TransferURL
    let mirrors = try (line.mirrors ?? []).map { text throws(ListingProblem) in
      try fetched(text, number: number, base)
    }
    let named = try line.url.map { text throws(ListingProblem) in
      try fetched(text, number: number, base)
    }
    switch (line.path, named) {
    case (nil, nil): throw ListingProblem("line \(number) has neither a path nor a URL")
    case (nil, let named?):
      guard let name = FileName.fromURL(named), let below = MemberPath(foreign: [name]) else {
        return nil
      }
      (path, url) = (below, named)
    case (let text?, let named):
      guard let listed = ListedPath(text), let found = named ?? listed.url(beside: base) else {
        return nil
      }
      (path, url) = (listed.path, found)
    }
    return ListedMember(
      path: path, url: url, byteCount: line.size, checksum: checksum, mirrors: mirrors)
  }

  /// A URL that a line has.
  private static func fetched(
    _ text: String, number: Int, _ base: TransferURL
  ) throws(ListingProblem) -> TransferURL {
    guard case .success(let parsed) = base.resolving(text), isFetched(parsed.url) else {
      throw ListingProblem("line \(number) has a URL that is not one of http, https or ftp")
    }
    return parsed.url
  }

  /// A list is often from a server, which must not use the user's SSH keys.
  private static func isFetched(_ url: TransferURL) -> Bool {
    switch url.scheme.family {
    case .http, .ftp: true
    case .sftp: false
    }
  }

  /// The strongest digest. One that is none is not passed over: the file would go unchecked.
  private static func checksum(
    _ line: Line, _ number: Int
  ) throws(ListingProblem) -> Checksum? {
    for (algorithm, hex) in line.digests {
      guard let hex else { continue }
      guard let checksum = Checksum(algorithm: algorithm, hex: hex) else {
        throw ListingProblem("line \(number) has a \(algorithm.rawValue) that is not a digest")
      }
      return checksum
    }
    return nil
  }
}

/// Lists the files of a checksum list, as sha256sum(1) and its relatives write it. They are beside
/// the list or in directories below it.
package struct ChecksumListing: CollectionAdapter {
  private let source: CollectionSource

  package let byteCountMax = ChecksumList.byteCountMax
  package var first: ListingRequest { ListingRequest(source.url) }

  /// Takes the URL of a web server whose last component is the usual name of a list.
  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard case .success(let parsed) = TransferURL.parse(text), isList(parsed.url) else {
      return nil
    }
    return .success(CollectionSource(.checksums, name: parsed.url.text, url: parsed.url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .checksums, source.name == source.url.text, Self.isList(source.url) else {
      return nil
    }
    self.source = source
  }

  /// `SHA256SUMS`, `sha256sum.txt`, `sha256sums.txt` and `NAME.sha256sums` of each algorithm.
  private static func isList(_ url: TransferURL) -> Bool {
    guard url.scheme.family == .http else { return false }
    let name = url.lastComponent.lowercased()
    if name == "checksum" || name == "checksums" { return true }
    return Checksum.Algorithm.allCases.contains { algorithm in
      let sums = algorithm.rawValue + "sums"
      return name == sums || name == sums + ".txt" || name == algorithm.rawValue + "sum.txt"
        || name.hasSuffix("." + sums)
    }
  }

  /// Reads the lines that have a digest and a path. A path with several digests, as in lists of two
  /// algorithms, is one file with the strongest of them.
  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let base = answer.base(for: source.url)
    var page = ListingPage()
    // By reference, which is as the list writes the path: other names may become one path.
    var places: [String: Int] = [:]
    ChecksumList.read(answer.bytes) { entry in
      guard let text = entry.path else { return }
      guard let listed = ListedPath(text), let url = listed.url(beside: base) else {
        page.refusedCount += 1
        return
      }
      if let place = places[listed.reference] {
        page.members[place].checksum = page.members[place].checksum.stronger(entry.checksum)
      } else {
        places[listed.reference] = page.members.count
        page.members.append(
          ListedMember(path: listed.path, url: url, checksum: entry.checksum))
      }
    }
    guard !page.members.isEmpty || page.refusedCount > 0 else {
      throw ListingProblem("it has no line with a checksum and a name")
    }
    return page
  }
}

extension Checksum? {
  /// This digest, or another one if it is longer.
  fileprivate func stronger(_ other: Checksum) -> Checksum {
    guard let self, self.algorithm.hexDigitCount >= other.algorithm.hexDigitCount else {
      return other
    }
    return self
  }
}
