import KettleModel
import Testing

@testable import KettleFiles

struct BodyCipherTests {
  private static let key = SegmentKey(
    bytes: Array(0..<16), initializationVector: [UInt8](repeating: 0, count: 15) + [7])
  private static let plain = "The first segment of forty-one bytes here"
  /// Encrypted by openssl(1).
  private static let hex =
    "d083fde77b23860981f1f55dfbe8f568f4cc84a78da8ababee15cd384b07537c0bb29d563bf6dffdecef59bf138d2f9b"

  private static var encrypted: [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  private func decrypt(_ bytes: [UInt8], inPiecesOf count: Int) throws -> [UInt8]? {
    let cipher = try #require(BodyCipher(Self.key))
    var plain: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: count) {
      let piece = Array(bytes[start..<min(start + count, bytes.count)])
      plain += try #require(piece.withUnsafeBytes { cipher.decrypt($0) })
    }
    return cipher.finish().map { plain + $0 }
  }

  @Test(arguments: [1, 15, 16, 17, 100])
  func `pieces of any size are decrypted`(count: Int) throws {
    #expect(try decrypt(Self.encrypted, inPiecesOf: count) == Array(Self.plain.utf8))
  }

  @Test func `a wrong or truncated body is noticed`() throws {
    #expect(try decrypt(Array(Self.encrypted.dropLast(16)), inPiecesOf: 16) == nil)
    #expect(try decrypt(Array(Self.encrypted.dropLast(3)), inPiecesOf: 16) == nil)
  }

  @Test func `a key of another length is refused`() {
    #expect(BodyCipher(SegmentKey(bytes: [1], initializationVector: Self.key.bytes)) == nil)
  }
}
