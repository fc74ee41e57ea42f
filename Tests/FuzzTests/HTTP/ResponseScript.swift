import SeededNumbers

/// What an origin has, and what it answers to one request after the other.
///
/// Each reply starts as the truthful one to the request that came (200, 206 or 416), and then its
/// edits are applied. When the replies run out, the origin tells the truth.
struct ResponseScript: Hashable, Sendable, Codable {
  /// Of the two versions of the file.
  var byteCounts: [Int]
  var validator = Validator.strong
  /// The most connections that the download may use.
  var connections = 1
  var replies: [ScriptedReply] = []

  enum Validator: String, Hashable, Sendable, Codable, CaseIterable {
    /// A strong ETag and a Last-Modified.
    case strong
    /// A strong ETag alone.
    case tag
    /// The same weak ETag for both versions.
    case weak
    /// A Last-Modified that is strong, because the Date is much later.
    case date
    /// A strong ETag that is another one for each request.
    case rotating
    case none
  }
}

struct ScriptedReply: Hashable, Sendable, Codable {
  /// 1 or 2.
  var version = 1
  var framing = Framing.length
  var honoursRanges = true
  var edits: [ResponseEdit] = []

  enum Framing: Hashable, Sendable, Codable {
    case length
    case chunked(byteCount: Int)
    case untilClose
  }
}

/// One deviation of a reply from the truth, or one unusual but legal form of it.
///
/// No edit makes a lie that nobody can detect: wrong bytes under a right label do not occur, and
/// two versions never have a strong validator in common. `{v}` in a value is the version's number.
enum ResponseEdit: Hashable, Sendable, Codable {
  case status(Int)
  case removeHeader(String)
  case setHeader(String, String)
  case addHeader(String, String)
  /// Header lines end with a line feed alone.
  case bareLineFeeds
  /// A 1xx reply before the reply.
  case interim(Int)
  case contentLength(by: Int)
  /// Changes the numbers of Content-Range, and adds one to a reply that has none.
  case contentRange(first: Int, last: Int, total: Int)
  case unknownTotal
  /// 200 with nothing but the range that was asked for.
  case tailOnly
  /// The chunk with this number (modulo their count) announces so many bytes more than it has.
  case chunkSize(chunk: Int, by: Int)
  case chunkExtension(chunk: Int, String)
  case noLastChunk
  case trailer(String)
  /// More bytes behind the reply.
  case excess(Int)
  /// The connection ends after so much of the reply.
  case cut(perMille: Int, isReset: Bool)
  /// The connection stays open behind the reply, whatever its head says.
  case keepOpen
  /// 302 to the same place: "/same", to another path that is not there, or to a bad reference.
  case redirect(Int, String)
}
