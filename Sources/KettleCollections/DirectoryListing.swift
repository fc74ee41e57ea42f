import KettleModel

/// Lists a directory of a server of files, from what it sends over FTP (LIST: RFC 959, section
/// 4.1.3) or as the long names of SFTP (draft-ietf-secsh-filexfer-02, section 7).
///
/// No standard says what a line looks like. Two forms are common: that of ls(1) with the option -l,
/// and that of Windows, `06-12-25  10:00AM  <DIR>  name`. Symbolic links are left out: nothing says
/// whether one leads to a file, to a directory or in a circle.
package struct DirectoryListing: CollectionAdapter {
  package let byteCountMax = 16 << 20

  private let url: TransferURL

  /// Takes URLs with the schemes ftp, ftps and sftp that end with a slash.
  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard let url = parsed(text)?.url else { return nil }
    let name = url.text + (url.path == "/" ? "" : "/")
    return .success(CollectionSource(.directory, name: name, url: url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .directory, let url = Self.parsed(source.name)?.url, url == source.url
    else { return nil }
    self.url = url
  }

  /// The URL of a directory, without the slash at its end, and its login.
  static func parsed(_ text: String) -> TransferURL.Parsed? {
    var name = text.trimmingBlanks()[...]
    guard name.utf8.last == UInt8(ascii: "/") else { return nil }
    while name.utf8.last == UInt8(ascii: "/") { name = name.dropLast() }
    guard case .success(let parsed) = TransferURL.parse(String(name)),
      parsed.url.scheme.family != .http, parsed.url.query == nil
    else { return nil }
    return parsed
  }

  package var first: ListingRequest { ListingRequest(url) }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    var page = ListingPage()
    var names: Set<[UInt8]> = []
    var strangeCount = 0
    for line in answer.bytes.split(separator: UInt8(ascii: "\n")) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let entry = DirectoryLine(line) else {
        strangeCount += DirectoryLine.isTotal(line) ? 0 : 1
        continue
      }
      guard !entry.namesSameOrParent, names.insert(entry.name).inserted else { continue }
      add(entry, of: request, to: &page)
    }
    if names.isEmpty, strangeCount > 0 {
      throw ListingProblem("the server lists the directory in a form that is not known")
    }
    return page
  }

  private func add(
    _ entry: DirectoryLine, of request: ListingRequest, to page: inout ListingPage
  ) {
    guard let (names, path) = request.entry(named: entry.name),
      let url = request.url.below(PercentEncoding.encoded(component: entry.name))
    else {
      page.refusedCount += 1
      return
    }
    switch entry.kind {
    case .directory:
      page.further.append(ListingRequest(url, directory: names, depth: request.depth + 1))
    case .file(let byteCount):
      page.members.append(
        ListedMember(path: path, url: url, byteCount: byteCount, stamp: entry.stamp))
    case .other: page.refusedCount += 1
    }
  }
}

/// A line of the list of a directory.
struct DirectoryLine: Hashable {
  enum Kind: Hashable {
    case directory
    case file(byteCount: Int64?)
    /// A symbolic link, a device or the like.
    case other
  }

  let name: [UInt8]
  let kind: Kind
  /// What the line says of the version of a file, as long as it stays the same.
  let stamp: String?

  /// Returns nil for a line of another form.
  init?(_ line: ArraySlice<UInt8>) {
    guard let first = line.first else { return nil }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 11)
    if (48...57).contains(first) {
      self.init(ofWindows: line, words)
    } else {
      self.init(ofLs: line, words, kind: first)
    }
  }

  /// The first line of ls(1).
  static func isTotal(_ line: ArraySlice<UInt8>) -> Bool { line.starts(with: "total ".utf8) }

  var namesSameOrParent: Bool { name == Array(".".utf8) || name == Array("..".utf8) }

  /// `-rw-r--r--   1 user  group    1234 Jun 12 10:00 name`, or with a date such as `2025-06-12
  /// 10:00`. The group may be absent. The name follows one blank after the date.
  private init?(ofLs line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>], kind: UInt8) {
    guard "-dlbcps".utf8.contains(kind), (words.first?.count ?? 0) >= 10 else { return nil }
    for index in words.indices.dropFirst(3) {
      guard let byteCount = Self.number(words[index - 1]),
        let date = Self.date(words[index...].prefix(3)),
        let last = words[index...].prefix(date.wordCount).last
      else { continue }
      let name = line[last.endIndex...].dropFirst()
      guard !name.isEmpty else { return nil }
      self.name = Array(name)
      stamp = date.stamp
      self.kind =
        switch kind {
        case UInt8(ascii: "-"): .file(byteCount: byteCount)
        case UInt8(ascii: "d"): .directory
        default: .other
        }
      return
    }
    return nil
  }

  /// `06-12-25  10:00AM       <DIR>          name`, with the size of a file in place of `<DIR>`.
  private init?(ofWindows line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>]) {
    guard words.count >= 4, Self.has(words[0], form: "00-00-00"), Self.has(words[1], form: "00:00")
    else { return nil }
    name = Array(line[words[2].endIndex...].drop { $0 == UInt8(ascii: " ") })
    stamp = Self.text(words[0]) + " " + Self.text(words[1])
    if words[2].elementsEqual("<DIR>".utf8) {
      kind = .directory
    } else if let byteCount = Self.number(words[2]) {
      kind = .file(byteCount: byteCount)
    } else {
      kind = .other
    }
  }

  /// How many words are a date, and what of it stays the same: the year of a recent file is not
  /// shown, and later its time is not.
  private static func date(
    _ words: ArraySlice<ArraySlice<UInt8>>
  ) -> (wordCount: Int, stamp: String)? {
    let words = Array(words)
    if words.count >= 2, has(words[0], form: "0000-00-00"), has(words[1], form: "00:00") {
      return (2, text(words[0]) + " " + text(words[1]))
    }
    guard words.count == 3, months.contains(text(words[0]).lowercased()),
      let day = number(words[1]), (1...31).contains(day),
      has(words[2], form: "00:00") || has(words[2], form: "0:00") || has(words[2], form: "0000")
    else { return nil }
    return (3, "\(text(words[0])) \(day)")
  }

  private static let months: Set<String> = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Whether a word begins with digits and other characters in the places of the form.
  private static func has(_ word: ArraySlice<UInt8>, form: String) -> Bool {
    word.count >= form.utf8.count
      && zip(word, form.utf8).allSatisfy { byte, place in
        place == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == place
      }
  }

  private static func number(_ word: ArraySlice<UInt8>) -> Int64? {
    DecimalDigits.int64(Substring(text(word)))
  }

  private static func text(_ word: ArraySlice<UInt8>) -> String {
    String(decoding: word, as: UTF8.self)
  }
}
