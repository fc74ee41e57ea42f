import Foundation
import KettleDemo
import SeededNumbers
import Testing

struct DemoContentTests {
  private let item = DemoItem(
    title: "A (strange) title", fileName: "a.pdf", byteCount: 5_003, bytesPerSecond: 1)

  private func whole(_ item: DemoItem) -> [UInt8] {
    DemoContent(item).bytes(in: 0..<item.byteCount)
  }

  @Test func `any range equals the same slice of the complete file`() {
    let all = whole(item)
    #expect(all.count == 5_003)
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let lower = Int.random(in: 0...all.count, using: &random)
      let upper = Int.random(in: lower...all.count, using: &random)
      let part = DemoContent(item).bytes(in: Int64(lower)..<Int64(upper))
      #expect(part == Array(all[lower..<upper]), "seed \(seed), range \(lower)..<\(upper)")
    }
  }

  @Test func `a range beyond the end is cut to the file`() {
    #expect(DemoContent(item).bytes(in: 5_000..<9_000) == Array(whole(item).suffix(3)))
    #expect(DemoContent(item).bytes(in: 9_000..<9_001).isEmpty)
    #expect(DemoContent(item).bytes(in: -5..<2) == Array(whole(item).prefix(2)))
  }

  @Test func `every offset in the table of a file points to its object`() throws {
    let text = String(decoding: whole(item).map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
    #expect(text.hasPrefix("%PDF-1.4\n"))
    #expect(text.hasSuffix("\n%%EOF\n"))
    let bytes = Array(text.utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let mark = try #require(lines.lastIndex(of: "startxref"))
    let tableOffset = try #require(Int(lines[mark + 1]))
    #expect(String(decoding: bytes[tableOffset...].prefix(5), as: UTF8.self) == "xref\n")
    let entries = lines.filter { $0.hasSuffix(" 00000 n ") }
    #expect(entries.count == 6)
    for (index, entry) in entries.enumerated() {
      let offset = try #require(Int(entry.prefix(10)))
      let start = "\(index + 1) 0 obj\n"
      #expect(String(decoding: bytes[offset...].prefix(start.utf8.count), as: UTF8.self) == start)
    }
  }

  @Test func `the noise has the length that its object declares`() throws {
    let bytes = whole(item)
    let begin = try #require(Self.offset(of: "6 0 obj\n<< /Length ", in: bytes))
    let digits = String(decoding: bytes[(begin + 19)...].prefix(10), as: UTF8.self)
    let length = try #require(Int(digits))
    let noise = begin + 19 + 10 + " >>\nstream\n".utf8.count
    let after = String(decoding: bytes[(noise + length)...].prefix(18), as: UTF8.self)
    #expect(after == "\nendstream\nendobj\n")
  }

  @Test func `parentheses in a title do not end the text on the page`() {
    let text = String(decoding: whole(item).prefix(700), as: UTF8.self)
    #expect(text.contains("(A strange title) Tj"))
  }

  @Test func `two files have different noise`() {
    var other = item
    other.fileName = "b.pdf"
    let middle = Int64(2_000)..<Int64(2_100)
    #expect(
      DemoContent(item).bytes(in: middle)
        != DemoContent(other).bytes(in: middle))
  }

  @Test(arguments: [0, 1, 7, 8, 900] as [Int64])
  func `a file too small for a page is noise of its size`(byteCount: Int64) {
    var small = item
    small.byteCount = byteCount
    #expect(Int64(whole(small).count) == byteCount)
  }

  private static func offset(of text: String, in bytes: [UInt8]) -> Int? {
    Data(bytes).range(of: Data(text.utf8))?.lowerBound
  }
}
