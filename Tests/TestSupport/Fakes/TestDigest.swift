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
}
