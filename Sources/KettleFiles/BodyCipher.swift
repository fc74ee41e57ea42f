import CKettleCurl
import KettleEngine
import KettleModel
import KettleSystem

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
