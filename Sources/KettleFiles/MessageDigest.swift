import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

/// A running digest, computed by libcrypto (EVP_DigestInit(3)).
struct MessageDigest: ~Copyable {
  private let context: OpaquePointer

  /// Returns nil when libcrypto does not offer the algorithm: in FIPS mode there is no MD5.
  init?(_ algorithm: Checksum.Algorithm) {
    let kind =
      switch algorithm {
      case .md5: EVP_md5()
      case .sha1: EVP_sha1()
      case .sha224: EVP_sha224()
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    guard let kind, let context = EVP_MD_CTX_new() else { return nil }
    guard EVP_DigestInit_ex(context, kind, nil) == 1 else {
      EVP_MD_CTX_free(context)
      return nil
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  func update(_ bytes: UnsafeRawBufferPointer) -> Bool {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
  }

  /// Returns lower-case hexadecimal, or nil when libcrypto fails.
  consuming func finish() -> String? { finishBytes()?.hexadecimal }

  /// Returns the digest, or nil when libcrypto fails.
  consuming func finishBytes() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { return nil }
    return Array(bytes.prefix(Int(count)))
  }
}

/// The digest of a file that is still being written, read through its own descriptor.
final class POSIXFileDigest: FileDigest {
  /// Large enough that the calls cost nothing compared with the digest, and small enough for the
  /// cache.
  private static let pieceByteCount = 256 << 10

  private struct State: ~Copyable {
    /// nil after `finish`.
    var digest: MessageDigest?
    var byteCount: Int64 = 0
  }

  private let file: OpenFile
  private let path: String
  private let state: Mutex<State>

  init(_ file: OpenFile, _ digest: consuming sending MessageDigest, path: String) {
    self.file = file
    self.path = path
    state = Mutex(State(digest: consume digest))
  }

  var byteCount: Int64 { state.withLock { $0.byteCount } }

  func advance(
    to upper: Int64, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) {
    try state.withLock { state in
      Result { () throws(TransferFailure) in try advance(&state, to: upper, shouldStop) }
    }.get()
  }

  private func advance(
    _ state: inout State, to upper: Int64, _ shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) {
    guard upper > state.byteCount else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.pieceByteCount, alignment: 16)
    defer { buffer.deallocate() }
    while upper > state.byteCount, !shouldStop() {
      let count = Int(min(upper - state.byteCount, Int64(buffer.count)))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
      try read(piece, at: state.byteCount)
      guard state.digest?.update(UnsafeRawBufferPointer(piece)) == true else {
        throw digestFailed()
      }
      state.byteCount += Int64(count)
    }
  }

  private func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(TransferFailure) {
    let isWhole: Bool
    do {
      isWhole = try file.read(buffer, at: offset)
    } catch {
      throw error.failure(.file(path))
    }
    guard isWhole else {
      throw TransferFailure(.partialFileChanged, on: path, detail: PartFileLocation.isShorter)
    }
  }

  func finish() throws(TransferFailure) -> String {
    guard let hex = state.withLock({ $0.digest.take()?.finish() }) else { throw digestFailed() }
    return hex
  }

  private func digestFailed() -> TransferFailure {
    TransferFailure(.internalProblem, on: path, detail: "the digest failed")
  }
}

/// Decrypts with AES-128 in CBC mode and PKCS7 padding, by libcrypto (EVP_DecryptInit(3)).
final class BodyCipher: BodyDecryption {
  /// libcrypto's context. Sendable because only the holder of the lock in `context` uses it.
  private struct Context: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private let context: Mutex<Context>
  private static let blockByteCount = 16

  init?(_ key: SegmentKey) {
    guard key.bytes.count == Self.blockByteCount,
      key.initializationVector.count == Self.blockByteCount,
      let pointer = EVP_CIPHER_CTX_new()
    else { return nil }
    guard
      EVP_DecryptInit_ex(pointer, EVP_aes_128_cbc(), nil, key.bytes, key.initializationVector) == 1
    else {
      EVP_CIPHER_CTX_free(pointer)
      return nil
    }
    context = Mutex(Context(pointer: pointer))
  }

  deinit { context.withLock { EVP_CIPHER_CTX_free($0.pointer) } }

  func decrypt(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let count = Int32(exactly: bytes.count) else { return nil }
    return context.withLock { context in
      var plain = [UInt8](repeating: 0, count: bytes.count + Self.blockByteCount)
      var plainCount: Int32 = 0
      let bytes = bytes.assumingMemoryBound(to: UInt8.self)
      guard
        EVP_DecryptUpdate(context.pointer, &plain, &plainCount, bytes.baseAddress, count) == 1
      else { return nil }
      return Array(plain.prefix(Int(plainCount)))
    }
  }

  func finish() -> [UInt8]? {
    context.withLock { context in
      var plain = [UInt8](repeating: 0, count: Self.blockByteCount)
      var plainCount: Int32 = 0
      guard EVP_DecryptFinal_ex(context.pointer, &plain, &plainCount) == 1 else { return nil }
      return Array(plain.prefix(Int(plainCount)))
    }
  }
}
