import Foundation
import Testing

@testable import KettleModel

struct ChecksumTests {
  private let md5 = "d41d8cd98f00b204e9800998ecf8427e"

  @Test(arguments: Checksum.Algorithm.allCases)
  func `a checksum is parsed and formatted as ALGORITHM:DIGITS`(
    algorithm: Checksum.Algorithm
  ) throws {
    let hex = String(repeating: "aF", count: algorithm.hexDigitCount / 2)
    let checksum = try #require(Checksum(algorithm.rawValue.uppercased() + ":" + hex))
    #expect(checksum.algorithm == algorithm)
    #expect(checksum.hex == hex.lowercased())
    #expect(checksum.text == algorithm.rawValue + ":" + hex.lowercased())
    #expect(Checksum(checksum.text) == checksum)
  }

  @Test func `digits of another algorithm, or none, are refused`() {
    #expect(Checksum("md5:" + md5) != nil)
    #expect(Checksum("sha1:" + md5) == nil)
    #expect(Checksum("md5:" + md5.dropLast()) == nil)
    #expect(Checksum("md5:" + md5 + "0") == nil)
    #expect(Checksum("md5:" + md5.dropLast() + "g") == nil)
    #expect(Checksum("md5:" + md5.dropLast() + "é") == nil)
    #expect(Checksum("md5: " + md5.dropLast()) == nil)
    #expect(Checksum("md5") == nil)
    #expect(Checksum("") == nil)
    #expect(Checksum(":" + md5) == nil)
    #expect(Checksum("crc32:d41d8cd9") == nil)
  }

  @Test func `digits alone show their algorithm by their number`() {
    for algorithm in Checksum.Algorithm.allCases {
      let hex = String(repeating: "0a", count: algorithm.hexDigitCount / 2)
      #expect(Checksum(hex) == Checksum(algorithm: algorithm, hex: hex))
      #expect(Checksum(String(hex.dropLast())) == nil)
      #expect(Checksum(String(hex.dropLast()) + "x") == nil)
    }
  }

  @Test func `decoding rejects an invalid value`() throws {
    let checksum = try #require(Checksum("md5:" + md5))
    let data = try JSONEncoder().encode(checksum)
    #expect(try JSONDecoder().decode(Checksum.self, from: data) == checksum)
    let upper = Data(#"{"algorithm": "md5", "hex": "\#(md5.uppercased())"}"#.utf8)
    #expect(try JSONDecoder().decode(Checksum.self, from: upper) == checksum)
    let short = Data(#"{"algorithm": "sha1", "hex": "\#(md5)"}"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Checksum.self, from: short)
    }
  }
}
