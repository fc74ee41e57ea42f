import Testing

@testable import KettleModel

/// The files of a list, and their sums.
struct ListedMemberTests {
  private func listed(byteCount: Int64?, stamp: String? = nil) throws -> ListedMember {
    guard case .success(let parsed) = TransferURL.parse("https://example.org/a") else {
      throw NoURL()
    }
    return ListedMember(
      path: try #require(MemberPath(foreign: "a")), url: parsed.url, byteCount: byteCount,
      stamp: stamp)
  }

  private struct NoURL: Error {}

  @Test func `sizes that are too large to add stay at the greatest number`() throws {
    let sizes: [Int64?] = [5, nil, .max, .max]
    let members = try sizes.map { try listed(byteCount: $0) }
    #expect(MemberSum(of: members) == MemberSum(count: 4, byteCount: .max, unknownSizeCount: 1))
    var list = CollectionList()
    for member in members { list.add(member) }
    #expect(list.memberCount == 4 && list.byteCount == .max && list.unknownSizeCount == 1)
  }

  @Test(arguments: ["e", "é", "€", "🫖", "e\u{301}"])
  func `a long stamp is cut between characters`(character: String) throws {
    let long = String(repeating: character, count: 1000)
    let stamp = try #require(try listed(byteCount: nil, stamp: "x" + long).stamp)
    #expect((120...128).contains(stamp.utf8.count))
    #expect(("x" + long).utf8.starts(with: stamp.utf8))
    #expect(try listed(byteCount: nil, stamp: stamp).stamp == stamp)
  }
}
