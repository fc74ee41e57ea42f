import Foundation
import KettleModel
import Testing

@testable import KettleCommands

/// `kettle verify --manifest` on real manifests; what is on the disk is invented.
@Suite(.timeLimit(.minutes(5)))
final class VerifyCommandTests {
  private static let hex = String(repeating: "a", count: 64)
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func write(_ text: String, as name: String = "SHA256SUMS") throws -> String {
    try Data(text.utf8).write(to: URL(filePath: home.path + "/" + name))
    return home.path + "/" + name
  }

  private func verify(
    _ standings: [String: ManifestStanding], _ arguments: String...
  ) async -> FakeContext.CommandResult {
    var context = FakeContext()
    context.comparisons = FakeComparisons(
      Dictionary(uniqueKeysWithValues: standings.map { (home.path + "/" + $0.key, $0.value) }))
    return await context.run(["verify", "--manifest"] + arguments)
  }

  private static func read(
    _ byteCount: Int64, damaged: [(Int64, Int64)] = [], isWrong: Bool = false
  ) throws -> ManifestStanding {
    var found = ManifestStanding.Comparison(byteCount: byteCount)
    for (lower, upper) in damaged {
      found.damaged.insert(try #require(ByteRange(lower: lower, upper: upper)))
    }
    if isWrong { found.wrong = [try #require(Checksum(hex))] }
    return .read(found)
  }

  @Test func `each file of a list has a line, and the sum follows`() async throws {
    let list = try write("\(Self.hex)  a.iso\n\(Self.hex)  d/b.iso\n\(Self.hex)  c.iso\n")
    let outcome = await verify(
      ["a.iso": try Self.read(2048), "d/b.iso": try Self.read(7, isWrong: true)], list)
    #expect(
      outcome.output == """
        a.iso: right (sha256, 2.0 KiB)
        d/b.iso: its sha256 is not \(Self.hex)
        c.iso: missing

        """)
    #expect(outcome.error == "1 right, 1 damaged, 1 missing\n")
    #expect(outcome.code == 1)
  }

  @Test func `when every file is right, the exit code is 0`() async throws {
    let list = try write("\(Self.hex)  a.iso\n")
    let outcome = await verify(["a.iso": try Self.read(5)], list)
    #expect(outcome == .init(code: 0, output: "a.iso: right (sha256, 5 B)\n", error: ""))
  }

  @Test func `damaged bytes, missing ends and excess are named`() async throws {
    let metalink = try write(
      """
      <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f"><size>4000000</size>
      <url>http://a.example/f</url></file></metalink>
      """, as: "f.meta4")
    let damaged = try Self.read(4_000_000, damaged: [(1 << 20, 5 << 18), (3_900_000, 4_000_000)])
    #expect(
      await verify(["f": damaged], metalink).output
        == "f: 354 KiB are damaged: bytes 1048576 to 1310719 (256 KiB at 1.0 MiB), "
        + "bytes 3900000 to 3999999 (98 KiB at 3.7 MiB)\n")
    #expect(
      await verify(["f": try Self.read(3_000_000)], metalink).output
        == "f: its last 977 KiB are missing (3000000 of 4000000 bytes are there)\n")
    #expect(
      await verify(["f": try Self.read(4_000_001)], metalink).output
        == "f: it is 1 B too long (4000001 bytes in place of 4000000)\n")
    #expect(await verify(["f": .unreadable(detail: "EIO")], metalink).code == 1)
    #expect(
      await verify(["f": .notAFile], metalink).output == "f: not a file\n")
  }

  @Test func `a directory or files may be given`() async throws {
    let list = try write("\(Self.hex)  d/a.iso\n\(Self.hex)  b.iso\n")
    try FileManager.default.createDirectory(
      atPath: home.path + "/other", withIntermediateDirectories: false)
    let below = await verify(["other/d/a.iso": try Self.read(1)], list, home.path + "/other")
    #expect(below.output == "d/a.iso: right (sha256, 1 B)\nb.iso: missing\n")
    let file = await verify(["a.iso": try Self.read(1)], list, home.path + "/a.iso")
    #expect(file.output == "\(home.path)/a.iso: right (sha256, 1 B)\n")
    let other = await verify([:], list, home.path + "/c.iso")
    #expect(other.code == 2)
    #expect(other.error.contains("says nothing about \"\(home.path)/c.iso\""))
  }

  @Test func `a digest alone is of the file beside it, or of the one that is given`() async throws {
    let beside = try write(Self.hex, as: "a.iso.sha256")
    #expect(await verify(["a.iso": try Self.read(1)], beside).code == 0)
    let list = try write(Self.hex, as: "sum.txt")
    #expect(await verify(["a.iso": try Self.read(1)], list, home.path + "/a.iso").code == 0)
    #expect(await verify([:], list).error.contains("give the file after it"))
  }

  @Test func `JSON has every finding`() async throws {
    let list = try write("\(Self.hex)  a.iso\n\(Self.hex)  b\n")
    let outcome = await verify(
      ["a.iso": try Self.read(9, damaged: [(2, 4)], isWrong: true)], list, "--json")
    #expect(
      outcome.output == """
        [
        {"path": "\(home.path)/a.iso", "result": "damaged", "byteCount": 9, \
        "expectedByteCount": null, "damaged": [{"first": 2, "last": 3}], "wrong": ["sha256"], \
        "detail": null},
        {"path": "\(home.path)/b", "result": "missing", "byteCount": null, \
        "expectedByteCount": null, "damaged": [], "wrong": [], "detail": null}
        ]

        """)
    #expect(outcome.error == "")
    #expect(outcome.code == 1)
  }

  @Test(arguments: [
    ("", "There is no checksum in"), ("d4:infodee", "cannot be used: it is not a torrent"),
    ("<html/>", "is not a Metalink"), ("HEX  ../x", "which is outside the directory"),
  ])
  func `a manifest that cannot be used is refused`(text: String, sentence: String) async throws {
    let list = try write(text.replacing("HEX", with: Self.hex))
    let outcome = await verify([:], list)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains(sentence))
    #expect(outcome.output == "")
  }

  @Test func `a manifest that is missing is refused`() async {
    #expect(await verify([:], home.path + "/none").code == 2)
  }
}
