import CKettleCurl
import KettleModel

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
  consuming func finish() -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { return nil }
    return bytes.prefix(Int(count)).hexadecimal
  }
}
