/// The messages of a browser on standard input: a length of 32 bits in the machine's byte order,
/// and as many bytes of JSON (native messaging of Chromium and Firefox).
struct NativeFrames: Sendable {
  enum Problem: Error, Hashable, Sendable {
    /// The message is longer than `receivedByteCountMax`. What follows cannot be read.
    case tooLong(byteCount: Int)
    /// The input ended within a message.
    case truncated
  }

  /// A request contains a URL and some cookies.
  static let receivedByteCountMax = 1 << 20
  /// A browser ends a host that sends more.
  static let sentByteCountMax = 1 << 20
  static let lengthByteCount = 4

  private var bytes: [UInt8] = []

  init() {}

  /// Returns a message with its length before it, or nil if it is too long for the browser.
  static func frame(_ message: [UInt8]) -> [UInt8]? {
    guard message.count <= sentByteCountMax else { return nil }
    return withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
  }

  mutating func append(_ piece: Span<UInt8>) {
    piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// Whether `next` needs no more bytes.
  var isReady: Bool {
    guard let byteCount else { return false }
    return byteCount > Self.receivedByteCountMax || bytes.count - Self.lengthByteCount >= byteCount
  }

  /// Removes and returns the first message, or nil if it is not complete. Throws `tooLong`.
  mutating func next() throws(Problem) -> [UInt8]? {
    guard let byteCount else { return nil }
    guard byteCount <= Self.receivedByteCountMax else { throw .tooLong(byteCount: byteCount) }
    guard isReady else { return nil }
    let message = Array(bytes.dropFirst(Self.lengthByteCount).prefix(byteCount))
    bytes.removeFirst(Self.lengthByteCount + byteCount)
    return message
  }

  /// Throws `truncated` if a part of a message is left at the end of the input.
  func end() throws(Problem) {
    if !bytes.isEmpty { throw .truncated }
  }

  /// The length of the first message; nil if it is not there yet.
  private var byteCount: Int? {
    guard bytes.count >= Self.lengthByteCount else { return nil }
    var length: UInt32 = 0
    withUnsafeMutableBytes(of: &length) { $0.copyBytes(from: bytes.prefix(Self.lengthByteCount)) }
    return Int(length)
  }
}
