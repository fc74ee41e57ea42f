import Glibc
import KettleModel

/// A request as it was received, and the progress of its response.
package struct OriginRequest: Hashable, Sendable {
  /// Counted from 1 over all paths.
  package var number: Int
  /// Counted from 1 over requests for the same path.
  package var numberForPath: Int
  /// Counted from 1; requests with the same number used the same connection.
  package var connection: Int
  /// The port of the client's end of the connection.
  package var clientPort: Int
  /// The number of requests in progress on its arrival, including itself.
  package var underWayCount: Int
  /// The arrival of its last header line: CLOCK_MONOTONIC, in milliseconds.
  package var arrivedAtMilliseconds: Int64
  package var method: String
  package var path: String
  package var query: String?
  /// In order and as sent.
  package var headers: [HeaderField]
  /// The received bytes of its body, up to `bodyByteCountKept`.
  package var body: [UInt8] = []
  /// The number of received bytes of its body.
  package var bodyByteCount: Int64 = 0
  /// The offset in the file at which the response body begins.
  package var bodyStart: Int64 = 0
  /// Bytes of the response body; 0 until the head is sent.
  package var bytesSent: Int64 = 0
  package var progress = Progress.answering
  /// The last piece is being sent, so the client may have the complete response.
  var isEnding = false

  static let bodyByteCountKept = 64 * 1024 * 1024

  package enum Progress: Hashable, Sendable {
    case answering
    /// Everything that was meant to be sent was sent.
    case answered
    /// The client closed the connection earlier.
    case abandoned
  }

  /// The values of the header called `name`, in order.
  package func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  package func value(of name: String) -> String? { values(of: name).first }

  /// The length of its body according to its head.
  package var contentLength: Int64 { value(of: "Content-Length").flatMap { Int64($0) } ?? 0 }

  /// The first and last byte of `Range: bytes=…` within a file of `total` bytes; nil without one.
  package func range(total: Int64) -> Range<Int64>? {
    guard let text = value(of: "Range"), text.hasPrefix("bytes=") else { return nil }
    let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[0].isEmpty { return Int64(parts[1]).map { max(0, total - $0)..<total } }
    guard let first = Int64(parts[0]), first < total else { return nil }
    let last = Int64(parts[1]) ?? total - 1
    return last < first ? nil : first..<min(last, total - 1) + 1
  }

  /// Parses the lines before the empty line; nil if they are not a request.
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
