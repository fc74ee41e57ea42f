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
      var conduct: String
    }

    var items: [Item]
  }

  private let standard = DemoCatalogue.standard

  @Test func `the compiled catalogue is the one in assets`() throws {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "assets/demo-catalogue.json"))
    let file = try JSONDecoder().decode(File.self, from: data)
    let items = try file.items.map {
      DemoItem(
        title: $0.title, fileName: $0.fileName, byteCount: $0.byteCount,
        bytesPerSecond: $0.bytesPerSecond, sha256: $0.sha256,
        conduct: try #require(DemoConduct(rawValue: $0.conduct)))
    }
    #expect(standard.items == items, "run: make catalogue")
  }

  private var files: [DemoItem] { standard.items.filter { !$0.sha256.isEmpty } }

  @Test func `the catalogue has files of 700 kB to 29 MB with unique titles and names`() {
    #expect(files.map { $0.byteCount / 100_000 } == [7, 113, 61, 15, 24, 292])
    #expect(Set(standard.items.map(\.title)).count == 8)
    #expect(Set(standard.items.map(\.path)).count == 8)
    for item in standard.items {
      #expect(item.fileName.allSatisfy { $0.isASCII && ($0.isLetter || "-.".contains($0)) })
    }
  }

  @Test func `every conduct occurs, and a file comes after the first trouble`() {
    #expect(Set(standard.items.map(\.conduct)) == Set(DemoConduct.allCases))
    #expect(standard.items.first?.conduct == .serves)
    #expect(standard.items.last?.conduct == .serves)
  }

  /// With at most four connections each, as the demo is configured.
  @Test func `every file takes between 10 and 90 seconds`() {
    let seconds = files.map { item in
      let connections: Int64 = item.conduct == .breaks || item.byteCount < 1_000_000 ? 1 : 4
      return item.byteCount / (item.bytesPerSecond * connections)
    }
    #expect(seconds.max().map { (60...90).contains($0) } == true)
    // The one behind the login is shorter: somebody waits for it.
    #expect(zip(files, seconds).allSatisfy { $1 >= ($0.conduct == .login ? 3 : 10) })
  }

  @Test func `the digest of each file is the one in the catalogue`() throws {
    for item in files {
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
