import SeededNumbers

/// The file versions of an origin, and its replies to consecutive requests.
///
/// Each reply starts as the truthful reply to its request (200, 206 or 416), and then its edits are
/// applied. After the last scripted reply, the origin replies truthfully.
struct ResponseScript: Hashable, Sendable, Codable {
  /// The sizes of the two versions of the file.
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
    /// A Last-Modified alone, which is strong because the Date is much later.
    case date
    /// A strong ETag that differs for each request.
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
/// No edit makes an undetectable lie: wrong bytes with a right label do not occur, and two versions
/// never share a strong validator. `{v}` in a value is the number of the version.
enum ResponseEdit: Hashable, Sendable, Codable {
  case status(Int)
  case removeHeader(String)
  case setHeader(String, String)
  case addHeader(String, String)
  /// Header lines end with only a line feed.
  case bareLineFeeds
  /// A 1xx reply before the reply.
  case interim(Int)
  case contentLength(by: Int)
  /// Changes the numbers of Content-Range, and adds one to a reply that has none.
  case contentRange(first: Int, last: Int, total: Int)
  case unknownTotal
  /// A 200 with only the requested range.
  case tailOnly
  /// The chunk with this number (modulo their count) announces this many bytes more than it has.
  case chunkSize(chunk: Int, by: Int)
  case chunkExtension(chunk: Int, String)
  case noLastChunk
  case trailer(String)
  /// More bytes after the reply.
  case excess(Int)
  /// The connection ends after this part of the reply.
  case cut(perMille: Int, isReset: Bool)
  /// The connection stays open after the reply, whatever its head says.
  case keepOpen
  /// A redirect to the same path ("/same"), to a missing path, or to a malformed reference.
  case redirect(Int, String)
}
