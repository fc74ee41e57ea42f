import Glibc
import KettleModel
import KettleSystem

/// A request body, read on demand by libcurl.
///
/// A file is read on the transport's thread: the next bytes are usually in the page cache already,
/// because the kernel reads ahead.
final class UploadBody {
  private enum Source {
    case bytes([UInt8])
    case file(SharedDescriptor, path: String)
  }

  /// How many bytes are sent.
  let byteCount: Int64
  /// Where in the file they begin: how many an earlier request has sent.
  let start: Int64
  /// The modification time of the file, since 1970; nil for bytes.
  let modifiedNanoseconds: Int64?
  private let source: Source
  /// Counted from `start`.
  private var offset: Int64 = 0

  private init(
    _ source: Source, byteCount: Int64, start: Int64 = 0, modifiedNanoseconds: Int64? = nil
  ) {
    self.source = source
    self.byteCount = byteCount
    self.start = start
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// Whether it is sent without asking the server first.
  var isSmall: Bool { byteCount <= RequestContent.expectByteCount }

  /// Opens the body. A file must still have the size that the request declares.
  ///
  /// - Parameter rest: the part to send; nil for all. The beginning and the rest must be of one
  ///   version of the file.
  static func open(
    _ body: RequestContent.Body, _ rest: RequestContent.Rest? = nil
  ) -> Result<UploadBody, TransferFailure> {
    switch body {
    case .bytes(let bytes):
      .success(UploadBody(.bytes(bytes.bytes), byteCount: Int64(bytes.bytes.count)))
    case .file(let path, let byteCount): open(path, byteCount: byteCount, rest)
    }
  }

  private static func open(
    _ path: String, byteCount: Int64, _ rest: RequestContent.Rest?
  ) -> Result<UploadBody, TransferFailure> {
    // Without O_NONBLOCK a pipe would block all attempts until it has a writer.
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: Glibc.open(path, flags)) else {
      return .failure(unusable(path, errno))
    }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { return .failure(unusable(path, errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return .failure(unusable(path, "it is not a regular file"))
    }
    let identity = FileIdentity(status)
    guard identity.byteCount == byteCount else {
      return .failure(unusable(path, "it has \(status.st_size) bytes and not \(byteCount)"))
    }
    let start = rest?.offset ?? 0
    let left = byteCount - start
    if let rest,
      rest.modifiedNanoseconds != identity.modifiedNanoseconds || !(0...byteCount).contains(start)
        || !(0...left).contains(rest.byteCount ?? 0)
    {
      return .failure(unusable(path, "it was changed after a part of it had been sent"))
    }
    return .success(
      UploadBody(
        .file(SharedDescriptor(file), path: path), byteCount: rest?.byteCount ?? left,
        start: start,
        modifiedNanoseconds: identity.modifiedNanoseconds))
  }

  /// Fills the beginning of `buffer` and returns the byte count; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Result<Int, TransferFailure> {
    let wanted = Int(min(Int64(buffer.count), byteCount - offset))
    guard wanted > 0, let start = buffer.baseAddress else { return .success(0) }
    switch source {
    case .bytes(let bytes):
      let first = Int(offset)
      buffer.copyBytes(from: bytes[first..<first + wanted])
      offset += Int64(wanted)
      return .success(wanted)
    case .file(let file, let path):
      let position = off_t(self.start + offset)
      var count = pread(file.number, start, wanted, position)
      while count < 0, errno == EINTR { count = pread(file.number, start, wanted, position) }
      guard count >= 0 else { return .failure(Self.unusable(path, errno)) }
      guard count > 0 else {
        return .failure(Self.unusable(path, "it became shorter while it was being sent"))
      }
      offset += Int64(count)
      return .success(count)
    }
  }

  /// Continues at `offset`, counted from `start`. Returns whether that offset exists.
  func seek(to offset: Int64) -> Bool {
    guard (0...byteCount).contains(offset) else { return false }
    self.offset = offset
    return true
  }

  private static func unusable(_ path: String, _ code: Int32) -> TransferFailure {
    unusable(path, SystemError(code).message)
  }

  private static func unusable(_ path: String, _ detail: String) -> TransferFailure {
    TransferFailure(.uploadFileUnusable, on: path, detail: detail)
  }
}

/// Decides when to report how much of a request body was sent: at most ten times a second, and
/// once at the end.
struct UploadProgress {
  static let intervalMilliseconds: Int64 = 100

  let byteCount: Int64
  /// A login may take several requests; each starts at 0 again.
  private(set) var sentByteCount: Int64 = 0
  private var reportedByteCount: Int64 = 0
  private var reportedAt: MonotonicTime?

  init(byteCount: Int64) { self.byteCount = byteCount }

  var isWhole: Bool { sentByteCount == byteCount }

  /// Returns the byte count to report, if any.
  mutating func record(_ count: Int64, at now: MonotonicTime) -> Int64? {
    sentByteCount = count
    if let reportedAt, !isWhole, now.milliseconds(since: reportedAt) < Self.intervalMilliseconds {
      return nil
    }
    return takeUnreported(at: now)
  }

  /// Returns the unreported byte count, or nil when everything was reported.
  mutating func takeUnreported(at now: MonotonicTime) -> Int64? {
    guard sentByteCount != reportedByteCount else { return nil }
    reportedByteCount = sentByteCount
    reportedAt = now
    return sentByteCount
  }
}

extension RequestContent {
  /// From this size on, libcurl asks the server first whether it wants the body (RFC 9110, section
  /// 10.1.1), which makes a refusal cheaper. libcurl uses the same limit for forms.
  static let expectByteCount: Int64 = 1024 * 1024

  /// Why the request cannot be sent; nil when it can.
  var problem: String? {
    // Anything else could end the request line early and begin another request.
    guard !method.isEmpty, method.utf8.allSatisfy(Self.isTokenByte) else {
      return "the method is not a word in upper case"
    }
    // The data after a CONNECT is not HTTP.
    if method == "CONNECT" { return "CONNECT is only for proxies" }
    if method == "HEAD", body != nil { return "a HEAD request has no body" }
    return nil
  }

  /// The body to send; nil when not even its length is sent.
  ///
  /// A method that defines a body sends the length of an empty one too (RFC 9110, section 8.6).
  var sentBody: Body? {
    if let body { return body }
    return ["POST", "PUT", "PATCH", "QUERY"].contains(method) ? .bytes(Base64Bytes([])) : nil
  }

  /// The characters of a token (RFC 9110, section 5.6.2), without lower case.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
