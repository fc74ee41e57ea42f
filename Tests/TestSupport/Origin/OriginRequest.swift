import Glibc
import KettleModel

/// A request as it came over the wire, and what was sent for it so far.
package struct OriginRequest: Hashable, Sendable {
  /// From 1, over all paths.
  package var number: Int
  /// From 1, among those for the same path.
  package var numberForPath: Int
  /// From 1; two requests with the same number came over one connection.
  package var connection: Int
  /// At the client's end of the connection.
  package var clientPort: Int
  /// How many requests were being answered when it came, itself included.
  package var underWayCount: Int
  /// When its last header line was in: CLOCK_MONOTONIC, in milliseconds.
  package var arrivedAtMilliseconds: Int64
  package var method: String
  package var path: String
  package var query: String?
  /// In order, as they were written.
  package var headers: [HeaderField]
  /// What came of its body so far, up to `bodyByteCountKept`.
  package var body: [UInt8] = []
  /// All that came of its body so far.
  package var bodyByteCount: Int64 = 0
  /// Where in the file the body of the reply begins.
  package var bodyStart: Int64 = 0
  /// Of body; 0 until the head is out.
  package var bytesSent: Int64 = 0
  package var progress = Progress.answering
  /// The last piece is on its way: the client may have all of it.
  var isEnding = false

  static let bodyByteCountKept = 64 * 1024 * 1024

  package enum Progress: Hashable, Sendable {
    case answering
    /// All was sent that was meant to be sent.
    case answered
    /// The client closed the connection before.
    case abandoned
  }

  /// The values of the header called `name`, in order.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  package func value(of name: String) -> String? { values(of: name).first }

  /// How long its body is by its head.
  package var contentLength: Int64 { value(of: "Content-Length").flatMap { Int64($0) } ?? 0 }

  /// The first and last byte of `Range: bytes=…`, within a file of `total` bytes; nil for none.
  package func range(total: Int64) -> Range<Int64>? {
    guard let text = value(of: "Range"), text.hasPrefix("bytes=") else { return nil }
    let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[0].isEmpty { return Int64(parts[1]).map { max(0, total - $0)..<total } }
    guard let first = Int64(parts[0]), first < total else { return nil }
    let last = Int64(parts[1]) ?? total - 1
    return last < first ? nil : first..<min(last, total - 1) + 1
  }

  /// Reads what stands before the empty line; nil when it is no request.
  init?(head: String, number: Int, connection: Int, clientPort: Int = 0) {
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    method = String(words[0])
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(target[0])
    query = target.count > 1 ? String(target[1]) : nil
    headers = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[colon...].dropFirst().drop { $0 == " " }
      return HeaderField(received: String(line[..<colon]), String(value))
    }
    self.number = number
    self.connection = connection
    self.clientPort = clientPort
    numberForPath = 0
    underWayCount = 0
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    arrivedAtMilliseconds = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
