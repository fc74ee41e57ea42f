import KettleModel

/// A list of URLs for `-i`: one per line; blank lines and lines that start with `#` are skipped.
///
/// The list is read as a stream and may be very long. So it keeps only the text of the URLs, in
/// pieces of one request each. Each URL is parsed once to find errors, and again when its batch is
/// requested.
package struct URLList {
  /// Valid lines, each followed by a line feed.
  private struct Piece {
    var bytes: [UInt8] = []
    var count = 0

    var urls: [TransferURL.Parsed] {
      bytes.split(separator: 10).compactMap { line in
        if let url = TransferURL(plain: line.span) {
          return TransferURL.Parsed(url: url)
        }
        return try? TransferURL.parse(String(decoding: line, as: UTF8.self)).get()
      }
    }
  }

  package private(set) var count = 0
  package private(set) var problems: [UsageProblem] = []

  /// How many bad lines are named individually. A file that is not a list has thousands.
  package static let namedProblemCountMax = 20
  /// Input with this many bad lines is not a list; reading stops.
  package static let problemCountMax = 1000
  /// No URL is longer than this. Input with a longer line is not a list; reading stops.
  package static let lineByteCountMax = 4 * TransferURL.byteCountMax

  private let name: String
  private var pieces: [Piece] = []
  /// The beginning of a line whose end has not arrived.
  private var partial: [UInt8] = []
  private var lineCount = 0
  private var problemCount = 0
  /// The input is not a list; the rest is ignored.
  private var isCutShort = false

  /// `name` is the list's name in complaints.
  package init(name: String) { self.name = name }

  package init(_ bytes: [UInt8], name: String) {
    self.init(name: name)
    read(bytes.span)
    end()
  }

  /// The URLs in batches of one request each.
  package var batches: some Sequence<[TransferURL.Parsed]> { pieces.lazy.map(\.urls) }

  /// Reads the next bytes of the list, split anywhere. Returns whether it wants more.
  @discardableResult
  package mutating func read(_ bytes: Span<UInt8>) -> Bool {
    var start = 0
    for index in bytes.indices where bytes[index] == 10 && !isCutShort {
      let line = bytes.extracting(start..<index)
      start = index + 1
      if partial.isEmpty {
        read(line: line)
      } else {
        readPartial(with: line)
      }
    }
    if isCutShort { return false }
    keep(bytes.extracting(start..<bytes.count))
    if partial.count > Self.lineByteCountMax { readPartial(with: Span()) }
    return !isCutShort
  }

  /// Marks the end of the list.
  package mutating func end() {
    if !partial.isEmpty { readPartial(with: Span()) }
    if problemCount > Self.namedProblemCountMax {
      problems.append(
        .list(
          .moreLines(problemCount - Self.namedProblemCountMax, isAll: !isCutShort), name: name))
    }
    if count == 0, problems.isEmpty { problems.append(.list(.empty, name: name)) }
  }

  private mutating func readPartial(with end: Span<UInt8>) {
    keep(end)
    let line = partial
    partial = []
    read(line: line.span)
  }

  private mutating func keep(_ bytes: Span<UInt8>) {
    let room = max(0, Self.lineByteCountMax + 1 - partial.count)
    bytes.extracting(first: room).withUnsafeBufferPointer { partial.append(contentsOf: $0) }
  }

  private mutating func read(line: Span<UInt8>) {
    lineCount += 1
    guard line.count <= Self.lineByteCountMax else {
      problems.append(.list(.lineTooLong(lineCount), name: name))
      isCutShort = true
      return
    }
    var text = line
    // Editors on some systems begin a text file with a byte order mark.
    if lineCount == 1, text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      text = text.extracting(droppingFirst: 3)
    }
    while text.count > 0, Self.isBlank(text[0]) { text = text.extracting(droppingFirst: 1) }
    while text.count > 0, Self.isBlank(text[text.count - 1]) {
      text = text.extracting(droppingLast: 1)
    }
    guard text.count > 0, text[0] != UInt8(ascii: "#") else { return }
    if TransferURL(plain: text) == nil, let problem = Self.problem(of: text, number: lineCount) {
      problemCount += 1
      if problemCount <= Self.namedProblemCountMax {
        problems.append(.list(problem, name: name))
      }
      isCutShort = problemCount == Self.problemCountMax
    } else {
      append(text)
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

  /// Returns the problem with a line that is not plainly a URL.
  private static func problem(
    of line: Span<UInt8>, number: Int
  ) -> UsageProblem.ListProblem? {
    let text = line.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    guard let text else { return .lineNotText(number) }
    switch TransferURL.parse(text) {
    case .success: return nil
    case .failure(let problem): return .line(number, text, problem)
    }
  }

  private mutating func append(_ text: Span<UInt8>) {
    count += 1
    if pieces.isEmpty || pieces[pieces.count - 1].count == TransferAdder.batchCount
      || pieces[pieces.count - 1].bytes.count + text.count > TransferAdder.batchByteCount
    {
      var piece = Piece()
      // Lines of one list have similar lengths, and unused capacity would be kept a thousand times.
      piece.bytes.reserveCapacity(pieces.last?.bytes.count ?? 0)
      pieces.append(piece)
    }
    text.withUnsafeBufferPointer { pieces[pieces.count - 1].bytes.append(contentsOf: $0) }
    pieces[pieces.count - 1].bytes.append(10)
    pieces[pieces.count - 1].count += 1
  }
}
