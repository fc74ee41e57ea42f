import CKettleCurl
import Foundation
import KettleDemo
import Testing

struct DemoCatalogueTests {
  private struct File: Decodable {
    struct Item: Decodable {
      var title: String
      var fileName: String
      var byteCount: Int64
      var bytesPerSecond: Int64
      var sha256: String
    }

    var items: [Item]
  }

  private let standard = DemoCatalogue.standard

  @Test func `the compiled catalogue is the one in assets`() throws {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "assets/demo-catalogue.json"))
    let file = try JSONDecoder().decode(File.self, from: data)
    let items = file.items.map {
      DemoItem(
        title: $0.title, fileName: $0.fileName, byteCount: $0.byteCount,
        bytesPerSecond: $0.bytesPerSecond, sha256: $0.sha256)
    }
    #expect(standard.items == items, "run: make catalogue")
  }

  @Test func `the catalogue has five files of 700 kB to 29 MB with unique titles and names`() {
    #expect(standard.items.map { $0.byteCount / 100_000 } == [7, 24, 61, 113, 292])
    #expect(Set(standard.items.map(\.title)).count == 5)
    #expect(Set(standard.items.map(\.path)).count == 5)
    for item in standard.items {
      #expect(item.fileName.allSatisfy { $0.isASCII && ($0.isLetter || "-.".contains($0)) })
      #expect(item.fileName.hasSuffix(".pdf"))
    }
  }

  @Test func `every file takes between 10 and 60 seconds`() {
    let seconds = standard.items.map { Double($0.byteCount) / Double($0.bytesPerSecond) }
    #expect(seconds.max().map { (40...60).contains($0) } == true)
    #expect(seconds.min().map { $0 >= 10 } == true)
  }

  @Test func `the digest of each file is the one in the catalogue`() throws {
    for item in standard.items {
      let digest = try Self.sha256(of: item)
      #expect(digest == item.sha256, "\(item.fileName)")
    }
  }

  /// Hashes the file in pieces, because the largest one has 29 MB.
  private static func sha256(of item: DemoItem) throws -> String {
    let context = try #require(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    try #require(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1)
    let content = DemoContent(item)
    for lower in stride(from: 0, to: item.byteCount, by: 1 << 20) {
      let bytes = content.bytes(in: lower..<(lower + 1 << 20))
      try #require(EVP_DigestUpdate(context, bytes, bytes.count) == 1)
    }
    var digest = [UInt8](repeating: 0, count: 32)
    try #require(EVP_DigestFinal_ex(context, &digest, nil) == 1)
    return digest.map { String(format: "%02x", $0) }.joined()
  }
}
