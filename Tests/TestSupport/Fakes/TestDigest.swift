import CKettleCurl
import KettleModel

/// Digests of bytes in memory, for expected values.
package enum TestDigest {
  package static func hex(of bytes: [UInt8], _ algorithm: Checksum.Algorithm) -> String? {
    let kind =
      switch algorithm {
      case .md5: EVP_md5()
      case .sha1: EVP_sha1()
      case .sha224: EVP_sha224()
      case .sha256: EVP_sha256()
      case .sha384: EVP_sha384()
      case .sha512: EVP_sha512()
      }
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard let kind, EVP_Digest(bytes, bytes.count, &digest, &count, kind, nil) == 1 else {
      return nil
    }
    let digits = Array("0123456789abcdef")
    return String(
      digest.prefix(Int(count)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// HMAC-SHA-256 (RFC 2104).
  package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8]? {
    let whole = key.count > 64 ? bytes(hex(of: key, .sha256)) : key
    guard let whole else { return nil }
    let padded = whole + [UInt8](repeating: 0, count: 64 - whole.count)
    let inner = bytes(hex(of: padded.map { $0 ^ 0x36 } + message, .sha256))
    return inner.flatMap { bytes(hex(of: padded.map { $0 ^ 0x5C } + $0, .sha256)) }
  }

  private static func bytes(_ hex: String?) -> [UInt8]? {
    hex.map { digits in
      stride(from: 0, to: digits.utf8.count, by: 2).compactMap {
        UInt8(digits.dropFirst($0).prefix(2), radix: 16)
      }
    }
  }
}
